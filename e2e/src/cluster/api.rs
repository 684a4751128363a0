//! A blocking client of an API server, for what a test does between two looks at a gateway: fast, and
//! with every answer's status in the test's hands. Tests that stand for a user run `kubectl`.

use std::{
    path::Path,
    sync::LazyLock,
    time::{Duration, Instant},
};

use http::{HeaderValue, Request, header};
use http_body_util::BodyExt;
use kube::{
    Client, Config,
    client::Body,
    config::{KubeConfigOptions, Kubeconfig},
};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::resource::{collection, path_of};
use crate::{
    manifest::Manifest,
    wait::{PATIENCE, pause},
};

/// The field manager of what tests apply.
const MANAGER: &str = "latchkey-e2e";
/// How long one answer may take.
const ANSWER: Duration = Duration::from_secs(30);

/// Where clients run. Only threads outside of it may call an [`Api`].
pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("e2e-api")
        .enable_all()
        .build()
        .expect("threads can be started")
});

/// The client of one user.
#[derive(Clone)]
pub struct Api {
    client: Client,
}

impl std::fmt::Debug for Api {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Api")
    }
}

/// What the API server answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// How long it asks to wait, in whole seconds as it says it.
    pub retry_after: Option<Duration>,
    body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The body of an answer that says yes.
    pub fn must(self) -> Value {
        assert!(
            (200..300).contains(&self.status),
            "{}: {}",
            self.status,
            self.text()
        );
        self.json()
    }
}

impl Api {
    /// The client that a kubeconfig describes.
    ///
    /// # Errors
    /// It does not describe one.
    pub fn new(kubeconfig: &Path) -> anyhow::Result<Self> {
        let config = Kubeconfig::read_from(kubeconfig)?;
        let client = RUNTIME.block_on(async {
            let mut config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await?;
            // A 503 is what some tests wait for.
            config.default_retry = false;
            anyhow::Ok(Client::try_from(config)?)
        })?;
        Ok(Self { client })
    }

    /// Where its asynchronous client runs.
    pub fn runtime() -> tokio::runtime::Handle {
        RUNTIME.handle().clone()
    }

    /// The asynchronous client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Sends a request; the body with its content type.
    ///
    /// # Errors
    /// No answer.
    pub fn try_request(
        &self,
        method: &str,
        path: &str,
        body: Option<(&str, &Value)>,
    ) -> Result<Answer, String> {
        let mut request = Request::builder().method(method).uri(path);
        let mut bytes = Vec::new();
        if let Some((kind, value)) = body {
            request = request.header(header::CONTENT_TYPE, kind);
            bytes = value.to_string().into_bytes();
        }
        let request = request.body(Body::from(bytes)).map_err(|e| e.to_string())?;
        RUNTIME.block_on(async {
            let answer = async {
                let response = self.client.send(request).await.map_err(|e| e.to_string())?;
                let status = response.status().as_u16();
                let retry_after = response.headers().get(header::RETRY_AFTER).and_then(seconds);
                let body = response.into_body().collect().await.map_err(|e| e.to_string())?;
                Ok(Answer {
                    status,
                    retry_after,
                    body: body.to_bytes().to_vec(),
                })
            };
            tokio::time::timeout(ANSWER, answer)
                .await
                .unwrap_or_else(|_| Err(format!("no answer within {ANSWER:?}")))
        })
    }

    /// [`Api::try_request`] that must be answered. "Too many requests" with a Retry-After, which a new
    /// CRD's first list gets, is asked again.
    pub fn request(&self, method: &str, path: &str, body: Option<(&str, &Value)>) -> Answer {
        let start = Instant::now();
        loop {
            let answer = self
                .try_request(method, path, body)
                .unwrap_or_else(|e| panic!("{method} {path}: {e}"));
            if answer.status != 429 || answer.retry_after.is_none() || start.elapsed() > PATIENCE {
                return answer;
            }
            pause(Duration::from_millis(100));
        }
    }

    /// GET.
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, None)
    }

    /// An object as it is now; `None` if there is none. The manifest names it.
    pub fn read(&self, named: &Manifest) -> Option<Value> {
        let answer = self.get(&path_of(named));
        (answer.status != 404).then(|| answer.must())
    }

    /// POST of a new object.
    pub fn create(&self, manifest: &Manifest) -> Answer {
        let path = path_of(manifest);
        let (collection, _) = path.rsplit_once('/').expect("a path has a name");
        self.request("POST", collection, Some(("application/json", manifest.json())))
    }

    /// POST of a new object, answered or not.
    ///
    /// # Errors
    /// No answer.
    pub fn try_create(&self, manifest: &Manifest) -> Result<Answer, String> {
        let collection = collection(manifest.api_version(), manifest.kind(), manifest.namespace_name());
        self.try_request("POST", &collection, Some(("application/json", manifest.json())))
    }

    /// DELETE, answered or not.
    ///
    /// # Errors
    /// No answer.
    pub fn try_delete(&self, named: &Manifest) -> Result<Answer, String> {
        self.try_request("DELETE", &path_of(named), None)
    }

    /// GET of a kind's objects in a namespace, answered or not. The query says how.
    ///
    /// # Errors
    /// No answer.
    pub fn try_list(
        &self,
        (api_version, kind): (&str, &str),
        namespace: &str,
        query: &str,
    ) -> Result<Answer, String> {
        let collection = collection(api_version, kind, Some(namespace));
        self.try_request("GET", &format!("{collection}?{query}"), None)
    }

    /// Server-side apply, which takes over fields of others.
    pub fn apply(&self, manifest: &Manifest) -> Answer {
        let path = format!("{}?fieldManager={MANAGER}&force=true", path_of(manifest));
        self.request(
            "PATCH",
            &path,
            Some(("application/apply-patch+yaml", manifest.json())),
        )
    }

    /// Merge patch of an object; `subresource` is empty or `/status`.
    pub fn patch(&self, named: &Manifest, subresource: &str, patch: &Value) -> Answer {
        let path = format!("{}{subresource}?fieldManager={MANAGER}", path_of(named));
        self.request("PATCH", &path, Some(("application/merge-patch+json", patch)))
    }

    /// PUT of a whole object.
    pub fn replace(&self, manifest: &Manifest) -> Answer {
        self.request(
            "PUT",
            &path_of(manifest),
            Some(("application/json", manifest.json())),
        )
    }

    /// DELETE.
    pub fn delete(&self, named: &Manifest) -> Answer {
        self.request("DELETE", &path_of(named), None)
    }
}

/// A Retry-After that is a number. API servers write no dates there.
fn seconds(value: &HeaderValue) -> Option<Duration> {
    value.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}
