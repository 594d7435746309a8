package dev.ringfence.api;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** The HTTP interface. Resources and providers are found by their annotations. */
@ApplicationPath("/api/v1")
public class ApiApplication extends Application {}
