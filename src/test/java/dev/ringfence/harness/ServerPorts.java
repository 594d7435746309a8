package dev.ringfence.harness;

/**
 * TCP ports of one server.
 *
 * @param http of the application
 * @param management of the administration
 */
record ServerPorts(int http, int management) {}
