//! One request, top to bottom.
//!
//! ```text
//! identity::remove -> framing, host, path -> route -> auth -> pick -> clean and add headers   (judge: no wait)
//!                                                         `-> redirect (answered at once)
//!   -> upstream::send -> pass the answer on                                                  (handle: waits)
//! ```
//!
//! All that reads the route table or the snapshot happens in [`judge`], which never waits, so no guard of
//! either is held over a wait and a request sees one version of each.

use std::{
    borrow::Cow,
    convert::Infallible,
    pin::pin,
    rc::Rc,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use http::{
    HeaderMap, HeaderValue, Request, Response, Uri, Version, header,
    request::Parts,
    uri::{InvalidUri, PathAndQuery},
};
use hyper::body::Incoming;
use latchkey_core::{reason::Reason, time::UnixSeconds};
use latchkey_routing::{
    filter::{Asked, HeaderModifier, Scheme},
    policy::Protection,
    table::{Action, Forward, Found, RequestView, RouteTimeouts},
};
use latchkey_runtime::shutdown::Phase;
use latchkey_snapshot::counters::RouteCounters;
use tokio::time::Instant;

use crate::{
    access_log::Entry,
    auth::{self, Verdict, hide},
    body::{RequestBody, ResponseBody},
    connection::Client,
    exchange::Exchange,
    framing::{self, Refusal},
    headers::{forwarded::Way, hop_by_hop, identity, length, modifier, request_id, trailers},
    host, leftover,
    load::Place,
    path,
    redirect::Elsewhere,
    respond,
    timeouts::Stage,
    upstream::{
        error::Origin,
        pick::{Target, pick},
        send::{Answer, send},
    },
};

/// Answers a request; what goes wrong becomes an answer too.
pub(crate) async fn handle(
    client: Rc<Client>,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, Infallible> {
    let started = Instant::now();
    client.activity.enter(Stage::Working, started);
    let (mut head, body) = request.into_parts();
    identity::remove(&mut head.headers);
    let worker = &client.worker;
    let id = request_id::of(&head.headers, || worker.random.wide());
    let method = head.method.clone();
    let way = client
        .forwarded
        .way(&head.headers, &worker.config.trusted_proxies);
    let mut entry = worker
        .access_log
        .is_on()
        .then(|| Entry::new(&id, &head.method, head.uri.path(), way.client()));

    let judged = judge(&client, way, &mut head, entry.as_deref_mut());
    let counters = judged.route.unwrap_or_else(|| worker.counters.route(None));
    let mut exchange = Exchange::begin(Rc::clone(&client), counters, started, entry);
    let close = worker.phase() >= Phase::Closing;
    let Passage {
        place,
        target,
        response_headers,
        timeouts,
    } = match judged.outcome {
        Ok(Outcome::Forward(passage)) => passage,
        Ok(Outcome::Redirect(elsewhere)) => {
            let close = close || !leftover::is_spent(&head.headers, body).await;
            return Ok(elsewhere.answer(&id, close, exchange));
        }
        // Whoever sends one doubtful message may have another behind it.
        Err(reason) => {
            let doubtful = reason == Reason::BadRequest;
            let close = close || doubtful || !leftover::is_spent(&head.headers, body).await;
            return Ok(respond::refuse(reason, &method, &id, close, exchange));
        }
    };
    exchange.hold(place);
    head.headers.insert(request_id::NAME, id.clone());
    let request = upstream_request(head, RequestBody::new(body, &client.activity));
    client.deadline.start(&timeouts, started, Instant::now);
    let sent = {
        let sending = pin!(send(worker, &client.activity, target, request));
        client.deadline.within(sending).await
    };
    let (reason, doubtful) = match sent {
        Ok(Ok(answer)) => {
            let code = answer.response.status().as_u16();
            exchange.answer(code, answer.address);
            client.deadline.answering();
            // What an early answer leaves unread of the body would stand before the next request.
            let close = worker.phase() >= Phase::Closing || client.activity.has_unread_body();
            return Ok(pass_on(answer, response_headers.as_deref(), &id, close, exchange));
        }
        Ok(Err(error)) => {
            tracing::debug!(request_id = ?id, %error, "no answer");
            (error.reason(), error.origin() == Origin::Downstream)
        }
        Err(late) => (late, false),
    };
    let close = doubtful || worker.phase() >= Phase::Closing || client.activity.has_unread_body();
    Ok(respond::refuse(reason, &method, &id, close, exchange))
}

/// What the route table and the snapshot say of a request.
struct Judged {
    /// Where it is counted.
    route: Option<Arc<RouteCounters>>,
    /// What becomes of it; or why it is refused.
    outcome: Result<Outcome, Reason>,
}

/// What becomes of a request that passed.
enum Outcome {
    /// It goes on, its head being ready for that.
    Forward(Passage),
    /// Its client is sent elsewhere.
    Redirect(Elsewhere),
}

/// What is left to be done with a request that goes on.
struct Passage {
    place: Place,
    target: Target,
    response_headers: Option<Arc<HeaderModifier>>,
    timeouts: RouteTimeouts,
}

fn judge(client: &Client, way: Way<'_>, head: &mut Parts, entry: Option<&mut Entry>) -> Judged {
    let mut route = None;
    let outcome = try_judge(client, way, head, &mut route, entry);
    Judged { route, outcome }
}

fn try_judge(
    client: &Client,
    way: Way<'_>,
    head: &mut Parts,
    route: &mut Option<Arc<RouteCounters>>,
    mut entry: Option<&mut Entry>,
) -> Result<Outcome, Reason> {
    let limits = &client.worker.config.limits;
    framing::check(head, limits.max_uri_bytes).map_err(Refusal::reason)?;
    let host = host::of(&head.headers, &head.uri, head.version).map_err(|_| Reason::BadRequest)?;
    let path = path::normalise(head.uri.path()).map_err(|_| Reason::BadRequest)?;
    let view = RequestView {
        method: &head.method,
        host: &host,
        path: &path,
        query: head.uri.query(),
        headers: &head.headers,
    };
    if let Some(entry) = &mut entry {
        entry.target(&host, &path);
    }

    let worker = &client.worker;
    let table = worker.tables.load();
    let (rule, protection) = match table.find(client.port, &view) {
        Found::Nothing => return Err(Reason::NoRoute),
        Found::Closed(reason, label) => {
            *route = label.map(|label| worker.counters.route(Some(label)));
            return Err(reason);
        }
        Found::Rule(rule, protection) => (rule, protection),
    };
    *route = Some(worker.counters.route(Some(&rule.route)));
    if let Some(entry) = &mut entry {
        entry.route(&rule.route);
    }

    let snapshot = worker.snapshots.load();
    let is_stale = || worker.freshness.is_stale();
    let verdict = auth::check(&protection, &view, &snapshot, now, is_stale)?;
    if let (Some(entry), Verdict::Known(identity)) = (&mut entry, &verdict) {
        entry.caller(identity);
    }
    let query = match view.query.and_then(|raw| hide::query(&protection, raw)) {
        Some(edited) => Some(Cow::Owned(edited)),
        None => view.query.map(Cow::Borrowed),
    };
    let forward = match &rule.action {
        Action::Fail(reason) => return Err(*reason),
        Action::Redirect(redirection) => {
            let asked = Asked {
                scheme: if way.is_https() {
                    Scheme::Https
                } else {
                    Scheme::Http
                },
                host: &host,
                port: way.port().unwrap_or(client.port),
                path: &path,
                query: query.as_deref(),
            };
            let elsewhere = Elsewhere::of(redirection, &asked)?;
            return Ok(Outcome::Redirect(elsewhere));
        }
        Action::Forward(forward) => forward,
    };
    let place = worker.load.enter(limits, &rule.route)?;
    let target = pick(&forward.backends, &worker.random, &worker.health, Instant::now)?;

    let path = match &forward.rewrite {
        Some(rewrite) => rewrite.path(&path),
        None => Cow::Borrowed(&*path),
    };
    if let Some(uri) = origin_form(&head.uri, &path, query.as_deref()).map_err(|_| Reason::BadRequest)? {
        head.uri = uri;
    }
    prepare_headers(&mut head.headers, way, &protection, forward, &verdict);
    if !head.headers.contains_key(header::HOST) {
        // HTTP/1.0 allowed it; the request goes on as HTTP/1.1, which does not.
        let address = HeaderValue::try_from(target.first.to_string()).map_err(|_| Reason::BadRequest)?;
        head.headers.insert(header::HOST, address);
    }
    Ok(Outcome::Forward(Passage {
        place,
        target,
        response_headers: forward.response_headers.clone(),
        timeouts: forward.timeouts,
    }))
}

/// Makes of the head as received the head as sent.
fn prepare_headers(
    headers: &mut HeaderMap,
    way: Way<'_>,
    protection: &Protection<'_>,
    forward: &Forward,
    verdict: &Verdict<'_>,
) {
    let chunked = headers.contains_key(header::TRANSFER_ENCODING);
    hop_by_hop::strip(headers);
    hide::headers(protection, headers);
    way.replace(headers);
    if chunked {
        // hyper would send a GET without a length as one without a body.
        headers.insert(header::TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
        hide::trailers(protection, headers);
    } else {
        headers.remove(header::TRAILER);
        length::unify(headers);
    }
    if let Some(changes) = &forward.request_headers {
        modifier::on_request(changes, headers);
    }
    if let Some(host) = forward.rewrite.as_ref().and_then(|rewrite| rewrite.host.as_ref()) {
        headers.insert(header::HOST, host.clone());
    }
    match verdict {
        Verdict::Open => {}
        Verdict::Anonymous => identity::set_anonymous(headers),
        Verdict::Known(identity) => identity::set(headers, identity),
    }
}

/// The target as it goes upstream; `None` if it already is so.
fn origin_form(uri: &Uri, path: &str, query: Option<&str>) -> Result<Option<Uri>, InvalidUri> {
    if uri.authority().is_none() && path == uri.path() && query == uri.query() {
        return Ok(None);
    }
    let text = match query {
        Some(query) if !query.is_empty() => format!("{path}?{query}"),
        // A `?` with nothing behind it that came so, goes so.
        Some(_) if uri.query() == Some("") => format!("{path}?"),
        _ => path.to_owned(),
    };
    PathAndQuery::try_from(text).map(Uri::from).map(Some)
}

fn upstream_request(head: Parts, body: RequestBody) -> Request<RequestBody> {
    let mut request = Request::new(body);
    *request.method_mut() = head.method;
    *request.uri_mut() = head.uri;
    *request.headers_mut() = head.headers;
    *request.version_mut() = Version::HTTP_11;
    request
}

/// Makes of the upstream's answer the client's.
fn pass_on(
    answer: Answer,
    changes: Option<&HeaderModifier>,
    id: &HeaderValue,
    close: bool,
    exchange: Exchange,
) -> Response<ResponseBody> {
    let (mut head, body) = answer.response.into_parts();
    hop_by_hop::strip(&mut head.headers);
    length::unify(&mut head.headers);
    trailers::restrict(&mut head.headers, |_| false);
    if let Some(changes) = changes {
        modifier::on_response(changes, &mut head.headers);
    }
    head.headers.insert(request_id::NAME, id.clone());
    if close {
        head.headers
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    head.version = Version::HTTP_11;
    Response::from_parts(head, ResponseBody::upstream(body, answer.lease, exchange))
}

fn now() -> UnixSeconds {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixSeconds(i64::try_from(since_epoch.as_secs()).unwrap_or(i64::MAX))
}
