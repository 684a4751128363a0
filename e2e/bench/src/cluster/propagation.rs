//! From a change that the API server has acknowledged to the first right answer of two gateways, and what
//! a bare watch client, which does nothing with it, sees of the same change.

use std::{
    io,
    time::{Duration, Instant},
};

use latchkey_e2e::{
    cluster::{Cluster, Installation, Namespace, Watch, watch::Event},
    gateway::PORT,
    keys,
    manifest::{self, Manifest, consumer, credential, secret},
    scene,
    wait::{eventually_within, pause},
};

use super::{
    kind::Kind,
    probe::{Probe, Tally},
};
use crate::progress;

/// How long a change may take. Past it something is broken, not slow.
pub(super) const LONGEST: Duration = Duration::from_secs(60);
/// How long a gateway may take until it is ready; it may have to read a million objects.
pub(super) const START: Duration = Duration::from_secs(600);
/// Rounds before the first that is measured.
const WARM_UP: u32 = 5;
/// Between the end of a change and the next: what it left behind is over, and an answer that turns wrong
/// again is seen.
const SPACING: Duration = Duration::from_millis(30);

/// The Consumer of all Credentials.
const CONSUMER: &str = "bench";
/// The Credential whose Secret comes and goes.
const WAITING: &str = "waiting";

/// One change, in milliseconds since it was acknowledged; what came before the acknowledgement is negative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// How long the write itself took.
    pub(crate) write: f64,
    /// The first right answer of each gateway.
    pub(crate) answers: [f64; 2],
    /// The change, as the bare watch saw it.
    pub(crate) event: f64,
    /// The operator's word on it, as the bare watch saw it; where gateways wait for that.
    pub(crate) published: Option<f64>,
}

impl Sample {
    /// The first right answer of the last gateway.
    pub(crate) fn last(&self) -> f64 {
        let [one, two] = self.answers;
        one.max(two)
    }

    /// What that is more than the bare watch's.
    pub(crate) fn excess(&self) -> f64 {
        self.last() - self.event
    }
}

/// What was measured.
pub(crate) struct Propagation {
    pub(crate) kinds: Vec<(Kind, Vec<Sample>)>,
    pub(crate) probes: [Tally; 2],
}

/// Measures in a cluster of its own, which holds nothing else.
pub(crate) fn measure(changes: u32, rate: u32) -> io::Result<Propagation> {
    progress("starting a control plane, an operator and two gateways")?;
    let cluster = Cluster::own();
    let installation = Installation::cluster_wide(&cluster);
    let _operator = installation.operator().measured().start();
    measure_in(&installation, changes, rate)
}

/// Makes the changes, one at a time and all kinds in turn. The operator runs.
pub(super) fn measure_in(
    installation: &Installation<'_>,
    changes: u32,
    rate: u32,
) -> io::Result<Propagation> {
    let echo = installation.echo("echo");
    let mut gateways = [(); 2].map(|()| installation.gateway().measured().start_unready());
    let namespace = installation.namespace();
    let resident = keys::key("resident");
    namespace.put(&[
        Manifest::new("gateway.networking.k8s.io/v1", "GatewayClass", "latchkey")
            .set("spec.controllerName", "latchkey.dev/gateway-controller"),
        manifest::gateway("edge", PORT),
        scene::route(),
        scene::policy(),
        consumer(CONSUMER),
        credential("resident", CONSUMER).sha256(&resident),
    ]);
    namespace.put(&scene::backend("echo", echo.address()));
    for gateway in &mut gateways {
        eventually_within(START, "a gateway is ready", || gateway.ready());
        gateway.becomes(&latchkey_e2e::client::Request::get("/").key(&resident), 200);
    }

    let [one, two] = &gateways;
    let field = Field::new(
        namespace,
        [Probe::start(one.proxy(), rate)?, Probe::start(two.proxy(), rate)?],
    );
    for round in 0..WARM_UP {
        field.round(&format!("w{round}"));
    }
    let mut kinds = Kind::ALL.map(|kind| (kind, Vec::new())).to_vec();
    for round in 1..=changes {
        for ((_, samples), sample) in kinds.iter_mut().zip(field.round(&format!("r{round}"))) {
            samples.push(sample);
        }
        if round % 20 == 0 || round == changes {
            progress(&format!("{round} of {changes} changes of each kind"))?;
        }
    }
    let [one, two] = field.probes;
    Ok(Propagation {
        kinds,
        probes: [one.end()?, two.end()?],
    })
}

/// Where changes are made and seen.
struct Field<'a> {
    namespace: &'a Namespace<'a>,
    probes: [Probe; 2],
    credentials: Watch,
    secrets: Watch,
}

impl<'a> Field<'a> {
    fn new(namespace: &'a Namespace<'a>, probes: [Probe; 2]) -> Self {
        let api = namespace.cluster().api();
        let watch = |api_version, kind| Watch::start(api, api_version, kind, namespace.name());
        let field = Self {
            namespace,
            probes,
            credentials: watch("latchkey.dev/v1alpha1", "Credential"),
            secrets: watch("v1", "Secret"),
        };
        namespace.put(&[credential(WAITING, CONSUMER).secret_ref(WAITING)]);
        until(
            &field.credentials,
            "the operator looks at a Credential",
            |event| event.name() == WAITING && event.condition("Ready") == "False",
        );
        field
    }

    /// One change of each kind, in the order of [`Kind::ALL`].
    fn round(&self, name: &str) -> [Sample; 6] {
        let [hashed, referred, late] = ["hashed", "referred", "late"].map(keys::key);
        let by_hash = credential(&format!("{name}-hash"), CONSUMER).sha256(&hashed);
        let its_secret = secret(&format!("{name}-ref"), &referred);
        let by_ref = credential(&format!("{name}-ref"), CONSUMER).secret_ref(its_secret.name());
        let late_secret = secret(WAITING, &late);
        self.namespace.put(std::slice::from_ref(&its_secret));
        pause(SPACING);
        let samples = Kind::ALL.map(|kind| match kind {
            Kind::LiveSha256 => self.change(kind, &hashed, &by_hash),
            Kind::LiveSecretRef => self.change(kind, &referred, &by_ref),
            Kind::LiveSecret => self.change(kind, &late, &late_secret),
            Kind::DeadSha256 => self.change(kind, &hashed, &by_hash),
            Kind::DeadSecretRef => self.change(kind, &referred, &by_ref),
            Kind::DeadSecret => self.change(kind, &late, &late_secret),
        });
        self.namespace.remove(&its_secret);
        samples
    }

    /// Creates or deletes an object, and waits until everybody has seen it.
    fn change(&self, kind: Kind, key: &str, object: &Manifest) -> Sample {
        for probe in &self.probes {
            probe.follow(key, kind.wanted());
        }
        let api = self.namespace.cluster().api();
        let placed = self.namespace.place(object);
        let begun = Instant::now();
        let (answer, what) = match kind.wanted() {
            200 => (api.create(&placed), "ADDED"),
            _ => (api.delete(&placed), "DELETED"),
        };
        let acknowledged = Instant::now();
        answer.must();

        let answers = [0, 1].map(|gateway| ms(acknowledged, self.probes[gateway].right()));
        let (watch, credential) = match kind.is_of_a_secret() {
            true => (&self.secrets, WAITING),
            false => (&self.credentials, object.name()),
        };
        let event = until(watch, "a bare watch sees the change", |event| {
            event.name() == object.name() && event.what == what
        });
        let word = kind.ready().map(|ready| {
            until(
                &self.credentials,
                "the operator says what it thinks of it",
                |event| event.name() == credential && event.condition("Ready") == ready,
            )
        });
        pause(SPACING);
        Sample {
            write: ms(begun, acknowledged),
            answers,
            event: ms(acknowledged, event.at),
            published: word
                .filter(|_| kind.needs_operator())
                .map(|event| ms(acknowledged, event.at)),
        }
    }
}

/// Waits for an event.
fn until(watch: &Watch, what: &str, wanted: impl FnMut(&Event) -> bool) -> Event {
    watch
        .next(LONGEST, wanted)
        .unwrap_or_else(|| panic!("{what}: not within {LONGEST:?}"))
}

/// Milliseconds from one time to another, which may be the earlier.
fn ms(from: Instant, to: Instant) -> f64 {
    let forth = to.saturating_duration_since(from).as_secs_f64();
    let back = from.saturating_duration_since(to).as_secs_f64();
    (forth - back) * 1e3
}
