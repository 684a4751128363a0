//! Metric families, their exposition text, and the worker that renders it off every request thread.
