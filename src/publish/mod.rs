//! Events to topics; the MQTT session; the embedded broker.
