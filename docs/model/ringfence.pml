/*
 * The protocol of one tenant: fence, reservation, HTTP, receipt, redaction, enrolment, crash. README.md beside this file says what each
 * step is in the code, what is left out and why that is sound, and how to run it.
 *
 * Each atomic block is one transaction, or one statement where the statements of a transaction may see different things.
 */

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef MOST        /* attempts that count, of one delivery: deliveries.cycle_attempts */
#define MOST 2
#endif
#ifndef TOKENS      /* reservations of all: bounds the model */
#define TOKENS 3
#endif
#ifndef REDACTIONS
#define REDACTIONS 1
#endif
#ifdef NO_FAULTS    /* nobody crashes, no session is ended, every commit is heard of */
#define FAULTS 0
#else
#ifdef FAULTS_END   /* at some time: for progress */
bit calm;
#define FAULTS (!calm)
#else
#define FAULTS 1
#endif
#endif
#ifdef ONLY         /* a broken variant looks for one violation */
#define LOOKED_FOR(name) (ONLY == N_##name)
#else
#define LOOKED_FOR(name) 1
#endif
#ifndef FIND        /* a run that must exist */
#define FIND 0
#endif

/* ---- what must never be: each name is a bit that would be set --------------------------------------------------------------- */

#define N_request_after_fencing 1
#define N_request_without_reservation 2
#define N_request_repeated 3
#define N_request_of_a_stale_owner 4
#define N_more_requests_than_reservations 5
#define N_more_reservations_than_allowed 6
#define N_delivered_and_sent_again 7
#define N_epochs_mixed 8
#define N_stale_worker_changed_something 9
#define N_released_though_sent 10
#define N_answer_lost_under_a_whole_fence 11
#define N_late_answer_without_marker 12
#define N_attempt_forgotten 13
#define N_boundary_moved_back 14
#define N_enrolled_during_redaction 15
#define N_enrolled_by_an_old_request 16
#define N_redaction_not_done 17
#define N_fence_left_behind 18
#define N_attempt_left_open 19
#define N_sent_twice_though_at_most_once 20

bit request_after_fencing, request_without_reservation, request_repeated, request_of_a_stale_owner,
    more_requests_than_reservations, more_reservations_than_allowed, delivered_and_sent_again, epochs_mixed,
    stale_worker_changed_something, released_though_sent, answer_lost_under_a_whole_fence, late_answer_without_marker,
    attempt_forgotten, boundary_moved_back, enrolled_during_redaction, enrolled_by_an_old_request, redaction_not_done,
    fence_left_behind, attempt_left_open, sent_twice_though_at_most_once;

#define NEVER(name, p) \
    if \
    :: LOOKED_FOR(name) && (p) -> name = 1; assert(!name) \
    :: else \
    fi

/* ---- runs that must exist, so that the rest says something ------------------------------------------------------------------- */

#define F_delivered 1
#define F_redacted_with_marker 2
#define F_delivered_after_a_crash 3
#define F_delivered_in_the_new_epoch 4
#define F_answer_after_fencing 5
#define F_lost_fence_sends_nothing 6
#define F_reservation_unseen_by_fencing 7
#define F_suspended_sender_wakes_after_fencing 8
#define F_old_enrolment_refused 9
#define F_redacted_twice 10

bit found;
#define EXISTS(name, p) \
    if \
    :: FIND == F_##name && (p) -> found = 1; assert(!found) \
    :: else \
    fi

/* ---- the database ------------------------------------------------------------------------------------------------------------ */

/* deliveries.state */
#define ABSENT 0
#define LIVE 1        /* pending, retrying */
#define DELIVERED 2
#define DEAD 3
#define FAILED 4

/* delivery_attempts.state */
#define NONE 0
#define SENDING 1
#define ACKNOWLEDGED 2
#define REFUSED 3     /* FAILED */
#define UNCERTAIN 4
#define NOT_SENT 5
#define RELEASED 6
#define CANCELLED 7
#define ERASED 8

/* how far time has gone for an attempt; each later than the one before */
#define IN_WINDOW 0   /* a first byte may leave */
#define SEND_BY 1     /* the owner's deadline and, a margin later, send_by in the database are over */
#define LEASE 2       /* lease_until is over: nobody expects an answer any more */

typedef Delivery {
    unsigned state : 3;
    unsigned epoch : 3;
    unsigned held : 3;      /* reservation_id: the open attempt plus one, or none */
    unsigned counted : 3    /* cycle_attempts */
};

typedef Attempt {
    unsigned state : 4;
    unsigned whose : 1;        /* delivery_id */
    unsigned time : 2;
    bit sent;               /* the receiver's log: a first byte left */
    bit marked;             /* a row of unresolved_markers */
#if FIND
    bit abandoned;          /* closed by the reconciler */
#endif
    bit locked              /* its row is locked by the fencing statement */
};

Delivery d[2];              /* one of the first epoch, one of the epoch that enrolment makes */
Attempt a[TOKENS];
unsigned tokens : 3;        /* reservations made so far */

bit is_active = 1;             /* tenant_lifecycle.phase */
unsigned epoch : 3;         /* a new number for each random UUID */
unsigned boundary : 3;      /* last_redacted_at; 0: never */
unsigned now : 3 = 2;       /* the time a request begins at; goes on with each boundary */

bit requested;              /* a redaction that is not DONE */
bit fenced;                 /* its boundary is set: FENCE and DRAIN are done */
unsigned erased : 2;        /* how far ERASE is */
unsigned done : 2;          /* redactions that are DONE */

/* ---- the fence: one advisory lock, held by sessions ---------------------------------------------------------------------------- */

#define REDACTOR WORKERS
#define ENROLLER (WORKERS + 1)
#define SESSIONS (WORKERS + 2)
#define FREE 0
#define SHARED 1
#define EXCLUSIVE 2

byte fence[SESSIONS];
bit lost[SESSIONS];         /* the session was ended: its next statement fails */

#define EXCLUSIVE_HELD (fence[REDACTOR] == EXCLUSIVE || fence[ENROLLER] == EXCLUSIVE)
#if WORKERS == 1
#define SHARED_HELD (fence[0] == SHARED)
#else
#define SHARED_HELD (fence[0] == SHARED || fence[1] == SHARED)
#endif

inline let_go(s)
{
    fence[s] = FREE;
    lost[s] = 0
}

/* ---- looks ---------------------------------------------------------------------------------------------------------------------- */

#ifdef NO_CEILING
#define USED_UP(i) (d[i].counted > MOST + 1)
#else
#define USED_UP(i) (d[i].counted >= MOST)
#endif
#define CURRENT(i) (is_active && epoch == d[i].epoch)
#define OPEN(i) (d[i].state == LIVE && d[i].held != 0)
/* CandidateRepository: what a scan gives out */
#define DUE(i) (d[i].state == LIVE && d[i].held == 0 && !USED_UP(i) && tokens < TOKENS && CURRENT(i))

#define SENT_OF(i, k) (a[k].sent && a[k].whose == i)
#if TOKENS == 2
#define REQUESTS(i) (SENT_OF(i, 0) + SENT_OF(i, 1))
#define SOME_MARKED (a[0].marked || a[1].marked)
#elif TOKENS == 3
#define REQUESTS(i) (SENT_OF(i, 0) + SENT_OF(i, 1) + SENT_OF(i, 2))
#define SOME_MARKED (a[0].marked || a[1].marked || a[2].marked)
#else
#define REQUESTS(i) (SENT_OF(i, 0) + SENT_OF(i, 1) + SENT_OF(i, 2) + SENT_OF(i, 3))
#define SOME_MARKED (a[0].marked || a[1].marked || a[2].marked || a[3].marked)
#endif

/* ---- variants of the guards ------------------------------------------------------------------------------------------------------ */

#ifdef NO_CAS
#define UNRESERVED(i) 1
#else
#define UNRESERVED(i) (d[i].held == 0)
#endif

#ifdef RECEIPT_WITHOUT_TOKEN
#define MINE(i, k) OPEN(i)
#else
#define MINE(i, k) (d[i].state == LIVE && d[i].held == k + 1)
#endif

#ifdef NO_SEND_BY
#define BEFORE_SEND_BY(k) (a[k].state >= NONE)
#else
#define BEFORE_SEND_BY(k) (a[k].time == IN_WINDOW)
#endif

#ifdef AT_MOST_ONCE
#define FINAL_IF_UNCERTAIN 1
#else
#define FINAL_IF_UNCERTAIN 0
#endif

/* ---- a delivery worker ---------------------------------------------------------------------------------------------------------- */

/* Of two idle workers, which are alike, it is the first that begins. */
#define MY_TURN (me == 0 || fence[0] != FREE || lost[0])

proctype Worker(byte me)
{
    unsigned i : 1;         /* the delivery */
    unsigned k : 3;         /* the attempt */
    unsigned r : 4;         /* what came of it */
    bit may;                /* what the reservation's snapshot says of the tenant */
    bit stored;             /* the outcome is in the ledger, whatever this worker heard of it */

    /* TenantFences.trySharedAll for a candidate; a stale candidate is refused by the reservation */
end_look:
    if
    :: atomic { DUE(0) && !EXCLUSIVE_HELD && MY_TURN -> i = 0; fence[me] = SHARED }
    :: atomic { DUE(1) && !EXCLUSIVE_HELD && MY_TURN -> i = 1; fence[me] = SHARED }
    fi;

    /* Reservations.reserve: its snapshot reads the tenant ... */
    if
#ifdef RESERVE_WITHOUT_EPOCH
    :: atomic { may = 1 }
#else
    :: atomic { may = CURRENT(i) }
#endif
    :: atomic { FAULTS -> goto crashed }
    fi;

    /* ... and the compare-and-swap locks the newest row, commits */
    if
    :: atomic {
           may && d[i].state == LIVE && UNRESERVED(i) && !USED_UP(i) && tokens < TOKENS ->
           k = tokens;
           tokens++;
           a[k].whose = i;
#ifndef HTTP_BEFORE_COMMIT
           a[k].state = SENDING;
           d[i].held = k + 1;
           d[i].counted++;
           NEVER(epochs_mixed, !CURRENT(i));
           NEVER(more_reservations_than_allowed, d[i].counted > MOST);
#endif
           if
           :: true
           :: FAULTS -> goto close /* the commit took effect and its answer was lost */
           fi
       }
    :: atomic { !(may && d[i].state == LIVE && UNRESERVED(i) && !USED_UP(i) && tokens < TOKENS) -> goto close }
    :: atomic { FAULTS -> goto crashed }
    fi;

    /* RecheckRepository.reread, on the fence's own connection */
#ifndef NO_RECHECK
    if
#ifdef RECHECK_ELSEWHERE
    :: atomic { CURRENT(i) }
    :: atomic { !CURRENT(i) -> r = CANCELLED; goto settle }
#else
    :: atomic { !lost[me] && CURRENT(i) }
    :: atomic { !lost[me] && !CURRENT(i) -> r = CANCELLED; goto settle }
    :: atomic { lost[me] -> EXISTS(lost_fence_sends_nothing, !is_active); goto release }
#endif
    :: atomic { FAULTS -> goto release } /* too little time left */
    :: atomic { FAULTS -> goto crashed }
    fi;
#endif

    /* Exchange.beginSending: the send-by check and the first byte */
send:
    if
    :: atomic {
           BEFORE_SEND_BY(k) ->
           NEVER(request_after_fencing, !CURRENT(i));
           NEVER(request_without_reservation, a[k].state == NONE);
           NEVER(request_repeated, a[k].sent);
           NEVER(delivered_and_sent_again, d[i].state == DELIVERED);
           NEVER(request_of_a_stale_owner, a[k].state != SENDING || d[i].held != k + 1);
           a[k].sent = 1;
           NEVER(more_requests_than_reservations, REQUESTS(i) > d[i].counted);
           NEVER(sent_twice_though_at_most_once, FINAL_IF_UNCERTAIN && REQUESTS(i) > 1);
#ifdef UNLOCK_BEFORE_RECEIPT
           let_go(me)
#endif
       }
    :: atomic { EXISTS(suspended_sender_wakes_after_fencing, a[k].time != IN_WINDOW && !is_active); goto release }
    :: atomic { r = NOT_SENT; goto settle } /* no connection: counts */
    :: atomic { requested && !fenced -> r = CANCELLED; goto settle } /* CancelledTenants, before the first byte */
    :: atomic { FAULTS -> goto crashed }
    fi;

    /* The answer, and Landing.settle's look at the fence: without it only uncertainty is left */
    if
    :: atomic { !lost[me] -> r = ACKNOWLEDGED }
    :: atomic { !lost[me] -> r = REFUSED }
    :: atomic { r = UNCERTAIN }
#ifdef HTTP_REPEATED
    :: atomic { goto send }
#endif
#ifdef RELEASE_WHAT_WAS_SENT
    :: atomic { goto release }
#endif
    :: atomic { FAULTS -> goto crashed }
    fi;

    /* Receipts.settle: keyed by the reservation */
settle:
    if
    :: atomic {
           MINE(i, k) && !a[k].locked ->
           NEVER(stale_worker_changed_something, d[i].held != k + 1 || a[k].state != SENDING);
           a[k].state = r;
           a[k].time = LEASE; /* nobody asks any more */
           d[i].held = 0;
           if
           :: r == ACKNOWLEDGED ->
              d[i].state = DELIVERED;
              EXISTS(delivered, 1);
#if FIND
              EXISTS(delivered_after_a_crash, k > 0 && a[0].abandoned && a[k].whose == a[0].whose);
#endif
              EXISTS(delivered_in_the_new_epoch, i == 1)
           :: r == REFUSED -> d[i].state = DEAD
           :: r == CANCELLED -> d[i].state = FAILED
           :: (r == UNCERTAIN && FINAL_IF_UNCERTAIN) || ((r == UNCERTAIN || r == NOT_SENT) && USED_UP(i)) ->
              d[i].state = DEAD
           :: else
           fi;
           if
           :: true
           :: FAULTS -> stored = 1; goto settle /* the commit took effect, its answer was lost: ReceiptDesk repeats it */
           fi
       }
    :: atomic {
           !MINE(i, k) ->
           /* late: a note beside the outcome, and on the marker */
           NEVER(answer_lost_under_a_whole_fence, a[k].sent && !lost[me] && a[k].time != LEASE);
           NEVER(late_answer_without_marker, a[k].sent && a[k].state == ERASED && !a[k].marked && !stored);
           EXISTS(answer_after_fencing, a[k].sent && a[k].marked && !stored)
       }
    :: atomic { FAULTS } /* ReceiptDesk gives up; reconciliation closes it */
    :: atomic { FAULTS -> goto crashed }
    fi;
    goto close;

    /* Reservations.release: what certainly never began goes back */
release:
    if
    :: atomic {
           MINE(i, k) && !a[k].locked ->
           NEVER(released_though_sent, a[k].sent);
           NEVER(stale_worker_changed_something, d[i].held != k + 1 || a[k].state != SENDING);
           a[k].state = RELEASED;
           a[k].time = LEASE;
           d[i].held = 0;
           d[i].counted--
       }
    :: atomic { !MINE(i, k) }
    :: atomic { FAULTS }
    :: atomic { FAULTS -> goto crashed }
    fi;

    /* FenceSession.close; a crash ends the session too */
close:
crashed:
    atomic {
#ifndef FENCE_NOT_RELEASED
        let_go(me);
#endif
        i = 0; k = 0; r = 0; may = 0; stored = 0;
        goto end_look
    }
}

/* ---- the reconciler, and the end of what has no attempts left ------------------------------------------------------------------- */

#ifdef RECONCILE_BEFORE_LEASE
#define LEASE_OVER(i) 1
#else
#define LEASE_OVER(i) (a[d[i].held - 1].time == LEASE)
#endif

inline close_attempt(i)
{
    /* AbandonedRepository: under the tenant's shared fence, as transaction-level lock */
    OPEN(i) && LEASE_OVER(i) && !a[d[i].held - 1].locked && !EXCLUSIVE_HELD ->
    a[d[i].held - 1].state = UNCERTAIN;
#if FIND
    a[d[i].held - 1].abandoned = 1;
#endif
    d[i].held = 0;
    if
#ifdef ABANDONED_GOES_AGAIN
    :: USED_UP(i) -> d[i].state = DEAD
#else
    :: USED_UP(i) || FINAL_IF_UNCERTAIN -> d[i].state = DEAD
#endif
    :: else
    fi
}

proctype Reconciler()
{
end_wait:
    do
#ifndef NO_RECONCILER
    :: atomic { close_attempt(0) }
    :: atomic { close_attempt(1) }
#endif
       /* Preflight: used up without an outcome that ends it */
    :: atomic { d[0].state == LIVE && d[0].held == 0 && USED_UP(0) -> d[0].state = DEAD }
    :: atomic { d[1].state == LIVE && d[1].held == 0 && USED_UP(1) -> d[1].state = DEAD }
    od
}

/* ---- redaction ------------------------------------------------------------------------------------------------------------------- */

#ifdef FENCING_ON_ANOTHER_SESSION
#define SESSION_ALIVE 1
#else
#define SESSION_ALIVE (!lost[REDACTOR])
#endif

#ifdef NO_DRAIN
#define DRAINED 1
#else
#define DRAINED (!(OPEN(0) && a[d[0].held - 1].time < SEND_BY) && !(OPEN(1) && a[d[1].held - 1].time < SEND_BY))
#endif

#define UNRESOLVED(j) (a[j].state == SENDING || a[j].state == UNCERTAIN)

inline unlock_rows()
{
    j = 0;
    do
    :: j < TOKENS -> a[j].locked = 0; j++
    :: else -> j = 0; break
    od
}

proctype Redactor()
{
    byte j;                 /* scratch, zero between steps */
    unsigned marks : TOKENS;
    byte then;

    do
       /* Redactions.request */
    :: atomic { !requested && done < REDACTIONS -> requested = 1 }

       /* Fencing.fence: the fence alone */
    :: atomic { requested && !fenced && !SHARED_HELD && fence[ENROLLER] == FREE -> fence[REDACTOR] = EXCLUSIVE };

       /* redact_tenant, first statement: is a reservation open that may still send? */
       if
       :: atomic { SESSION_ALIVE && DRAINED }
       :: atomic { !SESSION_ALIVE -> goto let_go_fence }
       :: atomic { SESSION_ALIVE && !DRAINED -> goto let_go_fence } /* DRAINING: asked again, or afresh */
       :: atomic { FAULTS -> goto let_go_fence }
       fi;

       /* mark_unresolved */
#ifndef FENCING_WITHOUT_MARKING
       if
       :: atomic {
              SESSION_ALIVE ->
              j = 0;
              do
              :: j < TOKENS ->
                 if
                 :: UNRESOLVED(j) -> marks = marks | (1 << j)
                 :: else
                 fi;
                 j++
              :: else -> j = 0; break
              od
          }
       :: atomic { !SESSION_ALIVE -> goto let_go_fence }
       :: atomic { FAULTS -> goto let_go_fence }
       fi;
#endif

       /* the open attempts become UNCERTAIN: their rows are locked, nobody sees it yet */
       if
       :: atomic {
              SESSION_ALIVE ->
              if
              :: OPEN(0) -> a[d[0].held - 1].locked = 1
              :: else
              fi;
              if
              :: OPEN(1) -> a[d[1].held - 1].locked = 1
              :: else
              fi
          }
       :: atomic { !SESSION_ALIVE -> goto let_go_fence }
       :: atomic { FAULTS -> goto let_go_fence }
       fi;

       /* deliveries and events end; commit */
       if
       :: atomic {
              SESSION_ALIVE ->
              then = now;
#ifdef CLOCK_STEPS_BACK
              if
              :: now++
              :: then = 1
              fi;
#else
              now++;
#endif
#ifndef NO_GREATEST
              if
              :: boundary > then -> then = boundary
              :: else
              fi;
#endif
              NEVER(boundary_moved_back, then < boundary);
              boundary = then;
              then = 0;
              is_active = 0;
              epoch++;
              j = 0;
              do
              :: j < TOKENS ->
                 if
                 :: marks & (1 << j) -> a[j].marked = 1
                 :: else
                 fi;
                 if
                 :: a[j].locked -> a[j].state = UNCERTAIN; a[j].locked = 0
                 :: else
                 fi;
                 EXISTS(reservation_unseen_by_fencing, a[j].state == SENDING && !a[j].marked);
                 j++
              :: else -> j = 0; break
              od;
              do
              :: j < 2 ->
                 if
#ifdef FENCING_CANCELS_NOTHING
                 :: d[j].state == LIVE -> d[j].held = 0
#else
                 :: d[j].state == LIVE -> d[j].state = FAILED; d[j].held = 0
#endif
                 :: else
                 fi;
                 j++
              :: else -> j = 0; break
              od;
              fenced = 1
          }
       :: atomic { !SESSION_ALIVE -> goto let_go_fence }
       :: atomic { FAULTS -> goto let_go_fence }
       fi;

       /* ExclusiveFence.close, or a crash: the statement is undone where it has not committed */
let_go_fence:
       atomic {
           unlock_rows();
           marks = 0;
           let_go(REDACTOR)
       }

       /* erase_tenant: the attempts of one delivery, marked first */
    :: atomic {
           fenced && erased < 2 ->
           j = 0;
           do
           :: j < tokens ->
              if
              :: a[j].whose == erased && a[j].state != NONE && a[j].state != ERASED ->
#ifndef ERASE_WITHOUT_MARKING
                 if
                 :: UNRESOLVED(j) -> a[j].marked = 1
                 :: else
                 fi;
#endif
                 NEVER(attempt_forgotten, UNRESOLVED(j) && !a[j].marked);
                 a[j].state = ERASED
              :: else
              fi;
              j++
           :: else -> j = 0; break
           od;
           if
           :: d[erased].state != ABSENT -> d[erased].state = ABSENT; d[erased].counted = 0
           :: else
           fi;
           erased++
       }

       /* VERIFY, DONE */
    :: atomic {
           fenced && erased == 2 ->
           EXISTS(redacted_with_marker, SOME_MARKED);
           EXISTS(redacted_twice, done == 1);
           requested = 0;
           fenced = 0;
           erased = 0;
           done++
       }
    :: atomic { done == REDACTIONS && !requested -> break }
    od
}

/* ---- enrolment of a redacted tenant, and what it records ------------------------------------------------------------------------- */

#ifdef ENROLMENT_AT_ONCE
/* At any time that the model of enrolment in steps allows, and more often: it needs no fence here. */
proctype Enroller()
{
end_wait:
    do
    :: atomic { !is_active && !fenced && d[1].epoch == 0 -> is_active = 1; epoch++ }
    :: atomic {
           is_active && !EXCLUSIVE_HELD && d[1].state == ABSENT && epoch > 0 && d[1].epoch == 0 ->
           d[1].state = LIVE;
           d[1].epoch = epoch
       }
    od
}
#else
#if defined(MINT_WITHOUT_CAS)
#define UNCHANGED (seen >= 0)
#elif defined(MINT_BY_BOUNDARY)
#define UNCHANGED (!is_active && boundary == seen)
#define READ boundary
#else
#define UNCHANGED (!is_active && epoch == seen)
#endif
#ifndef READ
#define READ epoch
#endif

proctype Enroller()
{
    unsigned began : 3;     /* when the request did */
    unsigned seen : 3;      /* the epoch that was read under the fence */

end_request:
    do
    :: atomic { d[1].epoch == 0 -> began = now }; /* captured before authentication */

       /* TenantFences.exclusive */
       if
       :: atomic { !SHARED_HELD && fence[REDACTOR] == FREE -> fence[ENROLLER] = EXCLUSIVE }
       :: atomic { FAULTS -> goto let_go_fence }
       fi;

       /* Enrolments.under: on the fence's connection */
       if
       :: atomic { lost[ENROLLER] || requested -> goto let_go_fence }
       :: atomic { !lost[ENROLLER] && !requested }
       :: atomic { FAULTS -> goto let_go_fence }
       fi;
       if
       :: atomic { lost[ENROLLER] -> goto let_go_fence }
       :: atomic { !lost[ENROLLER] && is_active -> goto let_go_fence }
#ifdef ENROLMENT_WITHOUT_START
       :: atomic { !lost[ENROLLER] && !is_active -> seen = READ }
#endif
       :: atomic {
              !lost[ENROLLER] && !is_active && began <= boundary ->
              EXISTS(old_enrolment_refused, 1);
              goto let_go_fence
          }
       :: atomic { !lost[ENROLLER] && !is_active && began > boundary -> seen = READ }
       :: atomic { FAULTS -> goto let_go_fence }
       fi;

       /* EnrolmentTransactions.mint: on another connection, by compare-and-swap on what was read */
       if
       :: atomic {
              UNCHANGED ->
              NEVER(enrolled_during_redaction, fenced);
              NEVER(enrolled_by_an_old_request, began <= boundary);
              is_active = 1;
              epoch++
          }
       :: atomic { !UNCHANGED }
       :: atomic { FAULTS -> goto let_go_fence }
       fi;

let_go_fence:
       atomic { let_go(ENROLLER); began = 0; seen = 0 }

       /* recording and fan-out, each one transaction under the transaction-level shared fence */
    :: atomic {
           is_active && !EXCLUSIVE_HELD && d[1].state == ABSENT && epoch > 0 && d[1].epoch == 0 ->
           d[1].state = LIVE;
           d[1].epoch = epoch
       }
    od
}
#endif

/* ---- the world: time goes on, sessions are ended ---------------------------------------------------------------------------------- */

#define PASSES(k) :: atomic { a[k].state == SENDING && a[k].time < LEASE -> a[k].time++ }

proctype Time()
{
end_wait:
    do
    PASSES(0)
    PASSES(1)
#if TOKENS > 2
    PASSES(2)
#endif
#if TOKENS > 3
    PASSES(3)
#endif
    od
}

inline end_session(s)
{
    FAULTS && fence[s] != FREE && !lost[s] ->
    fence[s] = FREE;
    lost[s] = 1
}

proctype Terminator()
{
    byte j;
end_wait:
    do
    :: atomic { end_session(0) }
#if WORKERS > 1
    :: atomic { end_session(1) }
#endif
    :: atomic { end_session(ENROLLER) }
    :: atomic {
           end_session(REDACTOR);
#ifndef FENCING_ON_ANOTHER_SESSION
           unlock_rows()
#endif
       }
    od
}

#ifdef FAULTS_END
proctype Calm()
{
    calm = 1
}
#endif

/* ---- when nothing more can happen -------------------------------------------------------------------------------------------------- */

proctype Rest()
{
    byte j;
end_wait:
    atomic {
        timeout ->
        NEVER(redaction_not_done, done != REDACTIONS);
        NEVER(fence_left_behind, EXCLUSIVE_HELD || SHARED_HELD);
        j = 0;
        do
        :: j < tokens ->
           NEVER(attempt_left_open, a[j].state == SENDING);
           j++
        :: else -> j = 0; break
        od
    }
}

init {
    atomic {
        d[0].state = LIVE;
        run Worker(0);
#if WORKERS > 1
        run Worker(1);
#endif
        run Reconciler();
        run Redactor();
        run Enroller();
        run Time();
        run Terminator();
#ifdef FAULTS_END
        run Calm();
#endif
        run Rest()
    }
}
