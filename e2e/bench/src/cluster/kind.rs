//! The kinds of change, and what each may cost.

/// What a change does to a key, and by which object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A Credential with a `sha256` is created.
    LiveSha256,
    /// A Credential with a `secretKeyRef` is created; its Secret is there.
    LiveSecretRef,
    /// The Secret is created that a Credential waits for.
    LiveSecret,
    /// A Credential with a `sha256` is deleted.
    DeadSha256,
    /// A Credential with a `secretKeyRef` is deleted.
    DeadSecretRef,
    /// The Secret of a Credential is deleted.
    DeadSecret,
}

/// What a change may cost, in milliseconds. The musts are what the last gateway needs more than a bare
/// watch client; the aims are what it needs from the acknowledgement on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    pub(crate) must_p50: f64,
    pub(crate) must_p99: Option<f64>,
    pub(crate) aim_p50: f64,
    pub(crate) aim_p99: f64,
}

impl Kind {
    /// All, in the order of a round: between a key's birth and its death stand the others' births.
    pub(crate) const ALL: [Self; 6] = [
        Self::LiveSha256,
        Self::LiveSecretRef,
        Self::LiveSecret,
        Self::DeadSha256,
        Self::DeadSecretRef,
        Self::DeadSecret,
    ];

    /// In JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::LiveSha256 => "live_sha256",
            Self::LiveSecretRef => "live_secret_ref",
            Self::LiveSecret => "live_secret",
            Self::DeadSha256 => "dead_sha256",
            Self::DeadSecretRef => "dead_secret_ref",
            Self::DeadSecret => "dead_secret",
        }
    }

    /// In tables.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::LiveSha256 => "live: Credential, sha256",
            Self::LiveSecretRef => "live: Credential, secretKeyRef",
            Self::LiveSecret => "live: Secret of a Credential",
            Self::DeadSha256 => "dead: Credential, sha256",
            Self::DeadSecretRef => "dead: Credential, secretKeyRef",
            Self::DeadSecret => "dead: Secret of a Credential",
        }
    }

    /// What the right answer is from then on.
    pub(crate) fn wanted(self) -> u16 {
        match self {
            Self::LiveSha256 | Self::LiveSecretRef | Self::LiveSecret => 200,
            Self::DeadSha256 | Self::DeadSecretRef | Self::DeadSecret => 401,
        }
    }

    /// What the operator then says of Ready; `None` where nothing is left to say it of.
    pub(crate) fn ready(self) -> Option<&'static str> {
        match self {
            Self::LiveSha256 | Self::LiveSecretRef | Self::LiveSecret => Some("True"),
            Self::DeadSecret => Some("False"),
            Self::DeadSha256 | Self::DeadSecretRef => None,
        }
    }

    /// Whether the change is one of a Secret.
    pub(crate) fn is_of_a_secret(self) -> bool {
        matches!(self, Self::LiveSecret | Self::DeadSecret)
    }

    /// Whether gateways learn of it from the operator.
    pub(crate) fn needs_operator(self) -> bool {
        self.is_of_a_secret() || self == Self::LiveSecretRef
    }

    /// What it may cost; `None`: it is told, and nothing is asked of it.
    pub(crate) fn budget(self) -> Option<Budget> {
        let budget = |must_p50, must_p99, aim_p50, aim_p99| {
            Some(Budget {
                must_p50,
                must_p99,
                aim_p50,
                aim_p99,
            })
        };
        match self {
            Self::LiveSha256 => budget(2.0, Some(10.0), 5.0, 50.0),
            Self::LiveSecretRef => budget(15.0, None, 15.0, 50.0),
            Self::DeadSha256 | Self::DeadSecretRef => budget(2.0, Some(10.0), 5.0, 25.0),
            Self::LiveSecret | Self::DeadSecret => None,
        }
    }
}
