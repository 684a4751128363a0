//! Objects come one at a time, in any order: the end is the same on both gateways, and from the moment on in
//! which a route's policy is in force nobody gets through it without the right key.

use std::{
    env,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use latchkey_e2e::{
    client::{Request, send},
    cluster::{Cluster, Gateway, Installation},
    during::During,
    echo::{Echo, Seen},
    gateway::PORT,
    keys,
    manifest::{
        Manifest, auth_policy, consumer, credential, endpoint_slice, gateway, http_route, secret, service,
    },
    poll::Poll,
    wait::eventually,
};

/// How long orders are tried for. There are 40,320, of which this is a sample.
const BUDGET: Duration = Duration::from_secs(50);
/// Set, it is the seed: to try the orders of an earlier run again.
const SEED: &str = "LATCHKEY_E2E_SEED";

/// In the order in which a reader of the documentation would apply them.
const KINDS: [&str; 8] = [
    "Secret",
    "Consumer",
    "Credential",
    "AuthPolicy",
    "Gateway",
    "HTTPRoute",
    "Service",
    "EndpointSlice",
];

type Order = [usize; KINDS.len()];

/// A Credential before its Consumer among them (O-A3).
#[test]
fn every_order_of_applying_objects_ends_in_the_same_and_opens_no_door_on_the_way() {
    let installation = Installation::in_a_namespace(Cluster::shared());
    let _operator = installation.operator().start();
    let gateways = installation.two_gateways();
    let echo = installation.echo("echo");
    let seed = seed();
    let _during = During::new(format!("{SEED}={seed}"));
    let mut random = Random(seed);
    let fixed = fixed_orders();
    let count = fixed.len();
    let sample = std::iter::repeat_with(|| random.order());
    let start = Instant::now();
    for (number, order) in fixed.into_iter().chain(sample).enumerate() {
        if number >= count && start.elapsed() > BUDGET {
            return;
        }
        let _during = During::new(format!("order {number}: {:?}", order.map(|kind| KINDS[kind])));
        apply_in_order(&installation, &gateways, &echo, number, order);
    }
}

/// As written and its reverse, and each kind first and last.
fn fixed_orders() -> Vec<Order> {
    let plain: Order = std::array::from_fn(|kind| kind);
    let mut reverse = plain;
    reverse.reverse();
    let mut orders = vec![plain, reverse];
    for kind in plain {
        let mut first = plain;
        first[..=kind].rotate_right(1);
        let mut last = plain;
        last[kind..].rotate_left(1);
        orders.extend([first, last]);
    }
    orders
}

/// Applies the eight objects of a protected route of its own, one at a time, and asks in between.
fn apply_in_order(
    installation: &Installation<'_>,
    gateways: &[Gateway; 2],
    echo: &Echo,
    number: usize,
    order: Order,
) {
    let name = format!("order-{number}");
    let host = format!("{name}.test");
    let keyless = Request::get("/").host(&host);
    let (key, wrong) = (keys::key(&name), keys::key("wrong"));
    let objects: [Manifest; KINDS.len()] = [
        secret(&name, &key),
        consumer(&name),
        credential(&name, &name).secret_ref(&name),
        auth_policy(&name).target("HTTPRoute", &name),
        gateway(&name, PORT),
        http_route(&name, &name, &host).backend(&name),
        service(&name),
        endpoint_slice(&name, &name, echo.address()),
    ];
    assert_eq!(objects.each_ref().map(Manifest::kind), KINDS);

    let namespace = installation.namespace();
    let mut polls = Vec::new();
    for object in order.map(|kind| &objects[kind]) {
        namespace.put(std::slice::from_ref(object));
        for gateway in gateways {
            gateway.until_seen(namespace, object);
        }
        if object.kind() == "AuthPolicy" {
            // What was seen is in force with the next commit.
            eventually("the policy is in force", || {
                let open = statuses(gateways, &keyless).any(|status| status == Some(200));
                if open { Err("open".to_owned()) } else { Ok(()) }
            });
            let asks = |gateway: &Gateway| Poll::start(gateway.proxy(), &keyless);
            polls.extend(gateways.each_ref().map(asks));
        }
        if !polls.is_empty() {
            let guess = keyless.clone().key(&wrong);
            assert!(
                statuses(gateways, &guess).all(|status| status != Some(200)),
                "a wrong key opens after {}",
                object.kind()
            );
        }
    }

    for gateway in gateways {
        let response = gateway.becomes(&keyless.clone().key(&key), 200);
        let seen = Seen::of(&response);
        assert_eq!(seen.header("X-Consumer-Username").as_deref(), Some(&*name));
        assert_eq!(gateway.status(&keyless.clone().key(&wrong)), 401);
        assert_eq!(gateway.status(&keyless), 401);
    }
    namespace.until_condition(&objects[2], "Ready", "True");
    for poll in polls {
        let changes = poll.changes();
        assert!(!changes.contains(&200), "open on the way: {changes:?}");
    }
    for object in &objects {
        namespace.remove(object);
    }
}

/// The gateways' answers; `None` where the port is not bound.
fn statuses<'a>(gateways: &'a [Gateway; 2], request: &'a Request) -> impl Iterator<Item = Option<u16>> + 'a {
    let status = |gateway: &Gateway| send(gateway.proxy(), request).map(|response| response.status);
    gateways.iter().map(move |gateway| status(gateway).ok())
}

fn seed() -> u64 {
    if let Ok(text) = env::var(SEED) {
        return text.parse().expect("the seed is a number");
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    now.as_secs()
}

/// splitmix64: enough for a sample, and the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Fisher and Yates.
    fn order(&mut self) -> Order {
        let mut order: Order = std::array::from_fn(|kind| kind);
        for last in (1..order.len()).rev() {
            let other = self.next() % (last as u64 + 1);
            order.swap(last, usize::try_from(other).expect("not above the last"));
        }
        order
    }
}
