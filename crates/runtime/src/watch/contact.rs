//! The contact: a consistent read of one object, again and again. It shows that the server and its store are
//! there, by the version that comes with it that the store was not put back to an earlier state, and by its
//! date how far the server's clock is from this one.

use std::{
    convert::Infallible,
    time::{Duration, SystemTime},
};

use tokio::time::sleep;

use super::{
    Collection, Health,
    counts::count,
    list::is_absent,
    page::Page,
    shared::{Held, Shared},
    skew::News,
    trouble,
};
use crate::{
    api::{ApiError, Limits, send},
    backoff::Backoff,
};

/// The longest that one contact may take, unless contacts are rarer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most bytes of its answer: one object.
const MAX_ANSWER: usize = 8 << 20;

pub(super) async fn run(shared: &Shared, collection: &Collection) -> Infallible {
    let mut backoff = Backoff::new(shared.tuning.backoff);
    let mut health = Health::Working;
    loop {
        // Taken before the request: what a watch sees while it runs may rightly be newer than the answer.
        let held = shared.held();
        match ask(shared, collection).await {
            Ok(version) => {
                count(&shared.counts.contacts);
                backoff.reset();
                if health.becomes(Health::Working) {
                    tracing::info!(%collection, "contact with the API server again");
                }
                compare(shared, held, version);
                // Not at once again, however many watches are lost.
                sleep(shared.tuning.backoff.0).await;
                tokio::select! {
                    () = sleep(shared.about(shared.tuning.contact_interval)) => {}
                    () = shared.lost.notified() => {}
                }
            }
            Err(error) => {
                count(&shared.counts.contact_failures);
                let now = match trouble::health(collection.verb(), collection, &error) {
                    Health::Missing => Health::Trouble("the API server does not know this kind".to_owned()),
                    other => other,
                };
                if health.becomes(now)
                    && let Health::Trouble(reason) = &health
                {
                    tracing::warn!(%collection, reason, "no contact with the API server");
                }
                sleep(backoff.next(error.retry_after(), shared.roll())).await;
            }
        }
    }
}

/// The version of the store, where the answer has one.
async fn ask(shared: &Shared, collection: &Collection) -> Result<Option<u64>, ApiError> {
    let limits = Limits {
        timeout: shared
            .tuning
            .contact_interval
            .max(PATIENCE)
            .min(shared.tuning.read_timeout),
        body: MAX_ANSWER,
    };
    let call = match &collection.name {
        None => collection.list(1, None),
        Some(name) => collection.get(name),
    };
    let sent = SystemTime::now();
    let answer = send(&shared.client, call, limits).await?;
    if let Some(date) = answer.date
        && let Some(news) = shared.dated(sent, SystemTime::now(), date)
    {
        tell(news);
    }
    let answer = answer.ok();
    if let Some(name) = &collection.name {
        return match answer.map_err(ApiError::from) {
            // The store was asked, and has no such object.
            Err(error) if !is_absent(&error, name) => Err(error),
            _ => Ok(None),
        };
    }
    let answer = answer?;
    let page = Page::read(&answer.body)?;
    Ok(page.version()?.parse().ok())
}

fn tell(news: News) {
    match news {
        News::Apart(skew) => tracing::warn!(
            skew,
            "this machine's clock and the API server's are {:.1} s apart: when keys begin and expire is decided by \
             this machine's; check the time service (NTP) on both",
            skew.abs(),
        ),
        News::Near => tracing::info!("this machine's clock is near the API server's again"),
    }
}

fn compare(shared: &Shared, held: Held, version: Option<u64>) {
    if shared.contacted(held, version) {
        count(&shared.counts.rollbacks);
        tracing::warn!(
            held = held.highest,
            now = version,
            "the API server's store went back from {} to {}: listing everything again",
            held.highest,
            version.unwrap_or_default(),
        );
    }
}
