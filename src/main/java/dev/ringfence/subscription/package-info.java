/**
 * Who wants which events, where they go and under what rules: subscriptions, their filters, grants and secrets (SB-1, SB-2, SB-5).
 *
 * <p>It exists apart from {@code fanout} and {@code delivery} because both ask it questions and neither may change the answers: what a
 * subscription says is decided when an operator writes it, in a transaction under the tenant's fence, and only read afterwards.
 */
@NullMarked
package dev.ringfence.subscription;

import org.jspecify.annotations.NullMarked;
