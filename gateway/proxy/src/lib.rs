//! The request path: accept, route, authenticate, send on, stream back, count.
