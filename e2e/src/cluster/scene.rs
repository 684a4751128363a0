//! What most tests on a cluster begin with: an installation, a protected route to an echo server, and
//! Consumers whose keys lie in Secrets.

use std::{
    net::SocketAddr,
    ops::Deref,
    sync::atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;

use super::{Cluster, Gateway, Installation, Namespace};
use crate::{
    client::Request,
    echo::Echo,
    gateway::PORT,
    keys,
    manifest::{Manifest, consumer, credential, gateway, secret_of_bytes},
    scene::{backend, policy, route},
};

/// An installation whose route `app` asks for a key. Nobody has one yet, and neither operator nor gateway
/// runs.
#[derive(Debug)]
pub struct Scene<'c> {
    installation: Installation<'c>,
    echo: Echo,
}

impl Scene<'static> {
    /// In a namespace of the shared cluster.
    pub fn shared() -> Self {
        Self::on(Cluster::shared())
    }
}

impl<'c> Scene<'c> {
    /// In a new namespace of a cluster.
    pub fn on(cluster: &'c Cluster) -> Self {
        Self::of(Installation::in_a_namespace(cluster))
    }

    /// In the namespace of an installation.
    pub fn of(installation: Installation<'c>) -> Self {
        let echo = installation.echo("echo");
        let scene = Self { installation, echo };
        scene.namespace().put(&scene.shape());
        scene
    }

    /// Gateway `edge`, HTTPRoute and AuthPolicy `app`, Service and EndpointSlice `echo`.
    pub fn shape(&self) -> [Manifest; 5] {
        let [service, endpoints] = backend("echo", self.echo.address());
        [gateway("edge", PORT), route(), policy(), service, endpoints]
    }

    /// Where the echo server behind its route listens.
    pub fn upstream(&self) -> SocketAddr {
        self.echo.address()
    }

    /// A Consumer and a Credential of the same name whose key lies in a Secret of that name, too. Gives a
    /// request with the key.
    pub fn consumer(&self, name: &str) -> Request {
        grant(self.namespace(), name)
    }

    /// A new key in the Secret of this name; a request with it.
    pub fn rotate(&self, name: &str) -> Request {
        rotate(self.namespace(), name)
    }

    /// Waits until a gateway has taken in all Credentials as they are now: its watch tells of a new one
    /// after those.
    pub fn catches_up(&self, gateway: &Gateway) {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("barrier-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let key = keys::key(&name);
        self.namespace()
            .put(&[consumer(&name), credential(&name, &name).sha256(&key)]);
        gateway.becomes(&Request::get("/").key(&key), 200);
    }

    /// Waits until Gateway, route and policy say that all is well with them.
    pub fn until_routes_are_accepted(&self) {
        let namespace = self.namespace();
        namespace.until(&gateway("edge", PORT), "the Gateway has its route", |edge| {
            edge["status"]["listeners"][0]["attachedRoutes"] == 1
        });
        namespace.until(&route(), "the route is accepted", |route| {
            accepted(&route["status"]["parents"][0])
        });
        namespace.until(&policy(), "the policy is accepted", |policy| {
            accepted(&policy["status"]["ancestors"][0])
        });
    }

    /// Gateway, route, policy and these Credentials as they are now, with the versions that every write
    /// changes.
    pub fn objects(&self, credentials: &[&str]) -> Vec<Option<Value>> {
        let shape = [gateway("edge", PORT), route(), policy()];
        let credentials = credentials.iter().map(|name| of(name));
        let all = shape.into_iter().chain(credentials);
        all.map(|named| self.namespace().read(&named)).collect()
    }
}

impl<'c> Deref for Scene<'c> {
    type Target = Installation<'c>;

    fn deref(&self) -> &Installation<'c> {
        &self.installation
    }
}

/// [`Scene::consumer`] in a namespace where nothing else need be.
pub fn grant(namespace: &Namespace<'_>, name: &str) -> Request {
    let request = rotate(namespace, name);
    namespace.put(&[consumer(name), of(name)]);
    request
}

fn rotate(namespace: &Namespace<'_>, name: &str) -> Request {
    let key = keys::key(name);
    namespace.put(&[holding(name, &key)]);
    Request::get("/").key(&key)
}

/// Whether a parent's or ancestor's conditions say so.
fn accepted(element: &Value) -> bool {
    let conditions = element["conditions"].as_array();
    let mut accepted = conditions.into_iter().flatten();
    accepted.any(|condition| condition["type"] == "Accepted" && condition["status"] == "True")
}

/// The Credential of [`Scene::consumer`].
pub fn of(name: &str) -> Manifest {
    credential(name, name).secret_ref(name)
}

/// The Secret of [`Scene::consumer`], with this key.
pub fn holding(name: &str, key: &str) -> Manifest {
    secret_of_bytes(name, key.as_bytes())
}

/// The Secret of this name.
pub fn secret_of(name: &str) -> Manifest {
    Manifest::new("v1", "Secret", name)
}
