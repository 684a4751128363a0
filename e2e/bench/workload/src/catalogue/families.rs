//! The families of figures.

use super::{
    Family,
    Limit::{Aim, Must, Told},
};

/// Of one change to the index: what a million may cost of what 50,000 and 1,000 cost.
const RATIOS: &[(&str, super::Limit)] = &[("_1m_over_50k", Must(2.0)), ("_1m_over_1k", Must(4.0))];
const SIZES: &[(&str, super::Limit)] = &[("_1k", Told), ("_50k", Told), ("_1m", Told)];
const LARGE: &[(&str, super::Limit)] = &[("_50k", Told), ("_1m", Told)];
const ROUTES: &[(&str, super::Limit)] = &[("_100", Told), ("_10k", Told), ("_10k_over_100", Must(2.0))];

/// All of them. A pair is a Consumer and its one Credential.
pub(super) const ALL: &[Family] = &[
    Family {
        stem: "hashing",
        members: &[("_instructions", Told)],
        meaning: "SHA-256 of a key of 35 bytes and its HMAC under one pepper, under valgrind, which hides the \
                  processor's SHA instructions. In no other count of instructions",
    },
    Family {
        stem: "hashing",
        members: &[("_ns", Told)],
        meaning: "the same as this machine's processor does it. Part of every time below that looks up or digests",
    },
    Family {
        stem: "apply_instructions",
        members: SIZES,
        meaning: "a Consumer and its Credential, with a new key, come among so many pairs: applied and \
                  committed as one change, without hashing",
    },
    Family {
        stem: "apply_instructions",
        members: RATIOS,
        meaning: "the same, as a ratio: a change costs what changed, never what exists",
    },
    Family {
        stem: "rotate_instructions",
        members: SIZES,
        meaning: "a Credential gets another key, applied and committed, without hashing",
    },
    Family {
        stem: "rotate_instructions",
        members: RATIOS,
        meaning: "the same, as a ratio",
    },
    Family {
        stem: "consumer_instructions",
        members: SIZES,
        meaning: "a Consumer gets another group, applied and committed",
    },
    Family {
        stem: "consumer_instructions",
        members: RATIOS,
        meaning: "the same, as a ratio",
    },
    Family {
        stem: "delete_instructions",
        members: SIZES,
        meaning: "a Credential and its Consumer go, in one commit",
    },
    Family {
        stem: "delete_instructions",
        members: RATIOS,
        meaning: "the same, as a ratio",
    },
    Family {
        stem: "lookup_instructions",
        members: SIZES,
        meaning: "a key that is known is looked up, without hashing",
    },
    Family {
        stem: "lookup_miss_instructions",
        members: SIZES,
        meaning: "a key that is unknown is looked up, without hashing",
    },
    Family {
        stem: "route_apply_instructions",
        members: ROUTES,
        meaning: "an HTTPRoute changes its path among so many, each with a hostname of its own: read from JSON, \
                  applied and committed",
    },
    Family {
        stem: "endpoint_apply_instructions",
        members: ROUTES,
        meaning: "an EndpointSlice of three changes an address, where so many routes have a Service each: read \
                  from JSON, applied and committed",
    },
    Family {
        stem: "apply_us",
        members: &[
            ("_50k", Aim(10.0)),
            ("_1m", Aim(25.0)),
            ("_p99_50k", Told),
            ("_p99_1m", Told),
        ],
        meaning: "a pair comes, with hashing: microseconds of one change and its commit, median (and p99)",
    },
    Family {
        stem: "rotate_us",
        members: &[
            ("_50k", Told),
            ("_1m", Told),
            ("_p99_50k", Told),
            ("_p99_1m", Told),
        ],
        meaning: "a Credential gets another key, likewise",
    },
    Family {
        stem: "consumer_us",
        members: &[
            ("_50k", Told),
            ("_1m", Told),
            ("_p99_50k", Told),
            ("_p99_1m", Told),
        ],
        meaning: "a Consumer gets another group, likewise",
    },
    Family {
        stem: "delete_us",
        members: &[
            ("_50k", Told),
            ("_1m", Told),
            ("_p99_50k", Told),
            ("_p99_1m", Told),
        ],
        meaning: "a pair goes, likewise",
    },
    Family {
        stem: "apply_us",
        members: &[("_during_selfcheck_1m", Told), ("_p99_during_selfcheck_1m", Told)],
        meaning: "a pair comes while the self-check goes round a million: the rest of the slice that runs, and \
                  the change, median and p99",
    },
    Family {
        stem: "selfcheck",
        members: &[("_slice_us_1m", Told), ("_slice_us_p99_1m", Told)],
        meaning: "what a slice of the self-check took, which may be 1,000, median and p99",
    },
    Family {
        stem: "selfcheck",
        members: &[("_round_ms_1m", Told), ("_examined_1m", Told)],
        meaning: "what all slices of a round took together, and how many objects and places they looked at",
    },
    Family {
        stem: "lookup_ns",
        members: &[("_50k", Told), ("_1m", Aim(600.0))],
        meaning: "a whole look-up of a known key: SHA-256, HMAC, entry and Consumer. Keys are drawn at random \
                  over all, so that nearly every one is cold",
    },
    Family {
        stem: "lookup_miss_ns",
        members: LARGE,
        meaning: "likewise of an unknown key",
    },
    Family {
        stem: "bytes_per_entry",
        members: &[("_1m", Must(600.0))],
        meaning: "resident memory of a pair among a million without traffic, in ledger and snapshot together",
    },
    Family {
        stem: "bytes_per_entry",
        members: &[
            ("_1m_counted", Told),
            ("_1m_counted_consumer", Told),
            ("_1m_counted_credential", Told),
        ],
        meaning: "the same in bytes that were asked for (the allocator adds the rest), and what of it is the \
                  Consumer's and the Credential's",
    },
    Family {
        stem: "bytes_per_entry",
        members: &[("_used_1m", Told), ("_used_more_1m", Must(250.0))],
        meaning: "resident memory of a pair once each key was looked up, and how much that is more",
    },
    Family {
        stem: "commit_garbage_bytes",
        members: &[("", Told), ("_50k", Told)],
        meaning: "what one exchanged key and its commit allocate and later free, among a million and 50,000 pairs: \
                  copied pages and the entry before",
    },
    Family {
        stem: "rebuild_all_ms",
        members: &[("_50k", Told)],
        meaning: "the naive way: an index of 50,000 pairs built from nothing, as for every change",
    },
    Family {
        stem: "rebuild_all_over_apply",
        members: &[("_50k", Told)],
        meaning: "how many times the naive way costs what one change does",
    },
    Family {
        stem: "relist_ms_1m",
        members: &[("_unchanged", Told), ("_all_replaced", Told)],
        meaning: "complete lists of a million Consumers and Credentials taken in and committed, by batches of 1,024: \
                  the same as before, and none of those before",
    },
    Family {
        stem: "relist_longest_step_ms_1m",
        members: &[("_unchanged", Told), ("_all_replaced", Told)],
        meaning: "how long the writer, and with it every other change, is away at the most meanwhile: at the end of a \
                  list, which looks at all, and removes those that are gone in one commit",
    },
    Family {
        stem: "relist_1m_worst_request_stall",
        members: &[("_us", Told), ("_quiet_us", Told), ("_control_us", Told)],
        meaning: "the longest that a thread which looks up without pause waited from one answer to the next, while a \
                  million pairs were replaced and the old ones freed; in a quiet window of the same length; and of \
                  a thread that only reads the clock while they are replaced. Medians of windows in turn",
    },
    Family {
        stem: "relist_1m_worst_request_stall",
        members: &[("_ratio", Told), ("_control_ratio", Told)],
        meaning: "the first over the second, and over the third: what is left when the machine's own pauses are \
                  taken out",
    },
    Family {
        stem: "growth_apply_us_to",
        members: &[("_10k", Told), ("_100k", Told), ("_1m", Told)],
        meaning: "from 1,000 to a million pairs by single changes and commits: microseconds of one, median by decade",
    },
    Family {
        stem: "growth_seconds",
        members: &[("_1k_to_1m", Told)],
        meaning: "how long all of them took, with the making of the facts",
    },
    Family {
        stem: "request_instructions",
        members: &[("_plain", Told), ("_keyauth", Told), ("_routes_10k", Told)],
        meaning: "a GET without a body through a standalone gateway, over kept connections: an open route, one that \
                  asks for a key of 50,000 (without hashing), and one of 10,000 open routes. Of the program alone, \
                  without what the kernel does for its sockets",
    },
    Family {
        stem: "keyauth_instructions_ratio",
        members: &[("", Told)],
        meaning: "the second over the first",
    },
    Family {
        stem: "routes_10k_instructions_ratio",
        members: &[("", Must(1.1))],
        meaning: "the third over the first: a request costs what it does, never what exists",
    },
    Family {
        stem: "allocations_per_request",
        members: &[("_plain", Told), ("_keyauth", Told), ("_routes_10k", Told)],
        meaning: "how often the allocator is asked for memory while it is served, in the gateway's whole process",
    },
    Family {
        stem: "accesslog_us_per_request",
        members: &[("", Told)],
        meaning: "how much more CPU time the gateway's process spends on a request that it logs, all its threads \
                  together. Its interval stands beside it",
    },
    Family {
        stem: "standalone_change_us",
        members: &[("_1k", Told), ("_50k", Told), ("_ratio", Must(2.0))],
        meaning: "a standalone gateway with so many consumers: from the rename of one file to the first answer that \
                  knows it, and the median of the ratios of pairs of changes",
    },
    Family {
        stem: "standalone_change_cpu_us",
        members: &[("_1k", Told), ("_50k", Told), ("_ratio", Must(2.0))],
        meaning: "CPU that the gateway used for it beside its workers, likewise",
    },
];
