//! The pepper Secret: watched by everybody, made once by the leader, and written again when it is deleted.
//!
//! ```text
//! watch -> decide::Known -> peppers (watch), trouble (watch)
//!              `-> absent and leading: POST
//! ```
//!
//! Owns the one Secret. Never changes one that exists, and shows none of its bytes.

pub mod decide;

use std::time::{Duration, Instant};

use kube::Client;
use latchkey_core::digest::Pepper;
use latchkey_runtime::{
    api::{ApiError, Call, Limits, send},
    watch::{Collection, Content, Event, Session},
};
use serde_json::Value;
use tokio::{
    sync::{mpsc, watch},
    time::sleep_until,
};

use self::decide::{Fresh, Known};
use crate::{
    leadership::{Leadership, now},
    refusal::told,
};

/// The longest that making it may take. Leadership that ends before cuts it shorter.
const LIMIT: Duration = Duration::from_secs(10);
/// The shortest and the longest wait after it could not be made.
const BACKOFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// One object changes rarely; a full inbox makes the watch wait.
const INBOX: usize = 16;

/// Keeps the Secret. What it knows is read from [`Outcome`].
pub struct Keeper {
    client: Client,
    leadership: Leadership,
    namespace: String,
    name: String,
    known: Known,
    peppers: watch::Sender<Vec<Pepper>>,
    trouble: watch::Sender<Option<String>>,
    /// The revision of what is known that was passed on.
    told: u64,
    /// What was logged last.
    complaint: Option<String>,
    /// When it may be tried again, and how long to wait after that.
    retry: Option<Instant>,
    wait: Duration,
}

/// What others see of it.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The usable peppers, by id; empty until some are known.
    pub peppers: watch::Receiver<Vec<Pepper>>,
    /// What is wrong, with the remedy.
    pub trouble: watch::Receiver<Option<String>>,
}

impl Keeper {
    /// A keeper of the Secret `namespace/name` that knows nothing yet.
    pub fn new(client: Client, leadership: Leadership, namespace: String, name: String) -> (Self, Outcome) {
        let (peppers, peppers_seen) = watch::channel(Vec::new());
        let (trouble, trouble_seen) = watch::channel(None);
        let keeper = Self {
            known: Known::new(namespace.clone(), name.clone()),
            client,
            leadership,
            namespace,
            name,
            peppers,
            trouble,
            told: 0,
            complaint: None,
            retry: None,
            wait: BACKOFF.0,
        };
        let outcome = Outcome {
            peppers: peppers_seen,
            trouble: trouble_seen,
        };
        (keeper, outcome)
    }

    /// Watches the Secret and keeps it. Ends only if the watch does.
    pub async fn run(self, session: Session) {
        let collection = Collection {
            api_version: "v1",
            plural: "secrets",
            namespace: Some(self.namespace.clone()),
            labels: None,
            name: Some(self.name.clone()),
            content: Content::Whole,
        };
        let (events, inbox) = mpsc::channel(INBOX);
        tokio::join!(session.watch(collection, (), events), self.keep(inbox));
    }

    /// The loop, on events from wherever they come.
    async fn keep(mut self, mut inbox: mpsc::Receiver<((), Event)>) {
        loop {
            let retry = self.retry;
            tokio::select! {
                event = inbox.recv() => match event {
                    Some(((), event)) => self.known.event(event),
                    None => return,
                },
                () = self.leadership.changed() => {}
                () = sleep_until(retry.unwrap_or_else(now).into()), if retry.is_some() => self.retry = None,
            }
            if self.known.must_be_made() && self.retry.is_none() {
                self.make().await;
            }
            self.tell();
        }
    }

    /// Makes the Secret, if this process may.
    async fn make(&mut self) {
        // Peppers of before are known at once also while the API server takes its time.
        self.tell();
        let fresh = match fresh() {
            Ok(fresh) => fresh,
            Err(error) => {
                return self.failed(&format!(
                    "the system gives no random numbers: {error}; check that getrandom(2) is permitted"
                ));
            }
        };
        let path = format!("/api/v1/namespaces/{}/secrets", self.namespace);
        let call = Call::create(path, &self.known.secret(&fresh));
        let Some(remaining) = self.leadership.remaining(now()) else {
            return;
        };
        let again = self.known.is_remembered();
        let made = match self.send(call, remaining.min(LIMIT)).await {
            // Another process or a person was first: what is there counts.
            Err(error) if error.code() == Some(409) => {
                let path = format!("/api/v1/namespaces/{}/secrets/{}", self.namespace, self.name);
                self.send(Call::get(path), LIMIT).await
            }
            Ok(secret) => {
                let (namespace, name) = (&self.namespace, &self.name);
                tracing::info!(namespace, name, again, "the pepper Secret was written");
                Ok(secret)
            }
            Err(error) => Err(error),
        };
        match made {
            Ok(secret) => {
                self.known.saw(&secret);
                self.wait = BACKOFF.0;
            }
            Err(error) => self.failed(&told(&error)),
        }
    }

    async fn send(&self, call: Call, limit: Duration) -> Result<Value, ApiError> {
        let limits = Limits {
            timeout: limit,
            ..Limits::default()
        };
        send(&self.client, call, limits).await?.ok()?.json()
    }

    fn failed(&mut self, why: &str) {
        self.known.not_made(why);
        self.retry = Some(now() + self.wait);
        self.wait = (self.wait * 2).min(BACKOFF.1);
    }

    /// Passes on what changed.
    fn tell(&mut self) {
        let complaint = self.known.complaint();
        if self.complaint != complaint {
            match &complaint {
                Some(complaint) => tracing::warn!("the pepper: {complaint}"),
                None => tracing::info!("the pepper: nothing is wrong with it any more"),
            }
            self.complaint = complaint;
        }
        let trouble = self.known.trouble();
        self.trouble.send_if_modified(|told| {
            let news = *told != trouble;
            *told = trouble;
            news
        });
        if self.told != self.known.revision() {
            self.told = self.known.revision();
            let peppers = self.known.peppers();
            let ids: Vec<_> = peppers.iter().map(Pepper::id).collect();
            tracing::info!(?ids, "peppers are known");
            self.peppers.send_replace(peppers.to_vec());
        }
    }
}

fn fresh() -> Result<Fresh, getrandom::Error> {
    let mut fresh = Fresh {
        id: getrandom::u32()?,
        bytes: [0; _],
    };
    getrandom::fill(&mut fresh.bytes)?;
    Ok(fresh)
}

#[cfg(test)]
mod tests;
