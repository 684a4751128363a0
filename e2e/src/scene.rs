//! What nearly every test begins with: a Gateway, a route to an echo server, a policy on it, and
//! Consumers with keys.

use std::net::SocketAddr;

use crate::{
    address::Address,
    client::Request,
    echo::Echo,
    folder::Folder,
    gateway::{PORT, Starter},
    keys,
    logs::Logs,
    manifest::{self, Manifest, auth_policy, endpoint_slice, http_route, service},
};

/// One test's folder and addresses. Everything a test does not ask for is absent.
#[derive(Debug)]
pub struct Scene {
    /// What the gateway reads.
    pub folder: Folder,
    /// Where the gateway listens.
    pub address: Address,
    /// Where outputs go.
    pub logs: Logs,
}

impl Default for Scene {
    fn default() -> Self {
        Self::empty()
    }
}

impl Scene {
    /// An empty folder.
    pub fn empty() -> Self {
        Self {
            folder: Folder::new(),
            address: Address::claim(),
            logs: Logs::of_this_test(),
        }
    }

    /// A protected route `app` (`app.test`) to this upstream.
    ///
    /// ```text
    /// gateway.yaml   Gateway edge        route.yaml   HTTPRoute app -> Service echo
    /// policy.yaml    AuthPolicy app      echo.yaml    Service echo, EndpointSlice echo
    /// ```
    pub fn protected(upstream: SocketAddr) -> Self {
        let scene = Self::open(upstream);
        scene.folder.write("policy.yaml", &[policy()]);
        scene
    }

    /// [`Scene::protected`] without the policy.
    pub fn open(upstream: SocketAddr) -> Self {
        let scene = Self::empty();
        scene
            .folder
            .write("gateway.yaml", &[manifest::gateway("edge", PORT)]);
        scene.folder.write("route.yaml", &[route()]);
        scene.folder.write("echo.yaml", &backend("echo", upstream));
        scene
    }

    /// [`Scene::protected`] with an echo server.
    pub fn with_echo() -> (Self, Echo) {
        let echo = Echo::start("echo", &Logs::of_this_test());
        (Self::protected(echo.address()), echo)
    }

    /// A file of a namespace of its own (`NAMESPACE.yaml`), in place of what it held: a Consumer, and its
    /// Credential `laptop`. Gives a request with the key.
    pub fn tenant(&self, namespace: &str, owner: &str, key: &str) -> Request {
        let objects = [
            manifest::consumer(owner),
            manifest::credential("laptop", owner).sha256(key),
        ];
        let placed = objects.map(|object| object.namespace(namespace));
        self.folder.write(&format!("{namespace}.yaml"), &placed);
        Request::get("/").key(key)
    }

    /// A Consumer and a Credential of the same name whose key is published by its hash; each in a
    /// file of its own (`consumer-NAME.yaml`, `credential-NAME.yaml`). Gives the key.
    pub fn consumer(&self, name: &str) -> String {
        let key = keys::key(name);
        self.folder
            .write(&format!("consumer-{name}.yaml"), &[manifest::consumer(name)]);
        self.folder.write(
            &format!("credential-{name}.yaml"),
            &[manifest::credential(name, name).sha256(&key)],
        );
        key
    }

    /// [`Scene::consumer`] whose key lies in a Secret (`secret-NAME.yaml`).
    pub fn consumer_with_secret(&self, name: &str) -> String {
        let key = keys::key(name);
        self.folder
            .write(&format!("consumer-{name}.yaml"), &[manifest::consumer(name)]);
        self.folder.write(
            &format!("credential-{name}.yaml"),
            &[manifest::credential(name, name).secret_ref(name)],
        );
        self.folder
            .write(&format!("secret-{name}.yaml"), &[manifest::secret(name, &key)]);
        key
    }

    /// A gateway on this folder.
    pub fn gateway(&self) -> Starter<'_> {
        Starter::new(&self.folder, &self.address, &self.logs)
    }
}

/// The HTTPRoute of [`Scene::protected`].
pub fn route() -> Manifest {
    http_route("app", "edge", "app.test").backend("echo")
}

/// The AuthPolicy of [`Scene::protected`].
pub fn policy() -> Manifest {
    auth_policy("app").target("HTTPRoute", "app")
}

/// A Service with one endpoint.
pub fn backend(name: &str, upstream: SocketAddr) -> [Manifest; 2] {
    [service(name), endpoint_slice(name, name, upstream)]
}
