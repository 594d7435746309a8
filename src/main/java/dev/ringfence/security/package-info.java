/**
 * Who may do what (SC-1), and secrets at rest (SC-2). API keys are authenticated by a Jakarta Security mechanism, roles
 * are enforced per resource method and denied by default, and the installation's one secret key is used only here.
 */
@NullMarked
package dev.ringfence.security;

import org.jspecify.annotations.NullMarked;
