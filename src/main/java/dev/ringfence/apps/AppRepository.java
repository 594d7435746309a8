package dev.ringfence.apps;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.EntityManager;
import jakarta.persistence.LockModeType;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.TypedQuery;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The applications that are registered. */
@ApplicationScoped
public class AppRepository {

    @PersistenceContext(unitName = "ringfence")
    EntityManager entities;

    /** An application as it is now. */
    public Optional<App> find(UUID id) {
        return Optional.ofNullable(entities.find(App.class, id));
    }

    /** An application that nobody else changes until the transaction ends. */
    Optional<App> findForUpdate(UUID id) {
        return Optional.ofNullable(entities.find(App.class, id, LockModeType.PESSIMISTIC_WRITE));
    }

    /**
     * Applications by age, then id.
     *
     * @param after the last one seen, {@code null} for the first page
     */
    List<App> list(@Nullable Instant afterCreated, @Nullable UUID after, int limit) {
        String order = " order by a.createdAt, a.id";
        if (afterCreated == null || after == null) {
            return entities.createQuery("select a from App a" + order, App.class)
                    .setMaxResults(limit)
                    .getResultList();
        }
        TypedQuery<App> query = entities.createQuery(
                "select a from App a where a.createdAt > :created or (a.createdAt = :created and a.id > :id)" + order,
                App.class);
        return query.setParameter("created", afterCreated.atOffset(ZoneOffset.UTC))
                .setParameter("id", after)
                .setMaxResults(limit)
                .getResultList();
    }

    void add(App app) {
        entities.persist(app);
    }
}
