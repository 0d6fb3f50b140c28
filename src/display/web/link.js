// The connection to the broker. In: an address and filters. Out: messages and the state of the connection. Knows
// nothing of tables.

import mqtt from "./vendor/mqtt-5.16.0.esm.js";

/** First and longest wait before another try, in ms. */
const RETRY_FIRST_MS = 1_000;
const RETRY_LAST_MS = 10_000;
/** Browsers let hidden pages act once a minute only; the broker waits one and a half times this, in s. */
const KEEPALIVE_S = 60;
const CONNECT_TIMEOUT_MS = 8_000;
/** From here on a granted QoS is a refusal. */
const REFUSED = 128;

/**
 * Connects and stays connected, as `login` {username, password} where there is one. `groups` is a list of lists of filters: the first group that the broker grants is
 * used. `onLink(state, detail)` hears "connecting", "live" or "reconnecting".
 */
export function connect({ url, groups, onMessage, onLink, login = {} }) {
  const client = mqtt.connect(url, {
    ...login,
    clientId: `spectator-${Math.random().toString(36).slice(2, 12)}`,
    protocolVersion: 5,
    clean: true,
    keepalive: KEEPALIVE_S,
    connectTimeout: CONNECT_TIMEOUT_MS,
    reconnectPeriod: RETRY_FIRST_MS,
    reconnectOnConnackError: true,
    resubscribe: false,
    // The other variant runs from a blob, which the content security policy does not allow.
    timerVariant: "native",
  });
  let everLive = false;
  let accepted = false;
  let detail = "";

  client.on("connect", async () => {
    client.options.reconnectPeriod = RETRY_FIRST_MS;
    accepted = true;
    detail = "";
    if (await subscribe(client, groups)) {
      everLive = true;
      onLink("live", "");
    } else {
      onLink("reconnecting", "the broker grants no topic");
    }
  });
  client.on("message", (topic, payload) => onMessage(topic, new TextDecoder().decode(payload)));
  client.on("error", (error) => { detail = String(error?.message ?? ""); });
  client.on("close", () => {
    // Some brokers know 3.1.1 only and hang up on anything newer.
    if (!accepted) client.options.protocolVersion = client.options.protocolVersion === 5 ? 4 : 5;
    const wait = client.options.reconnectPeriod;
    client.options.reconnectPeriod = Math.min(RETRY_LAST_MS, wait * 1.6) * (0.85 + Math.random() * 0.3);
    onLink(everLive ? "reconnecting" : "connecting", detail);
  });
  wakeUp(client);
  return client;
}

async function subscribe(client, groups) {
  for (const group of groups) {
    const granted = await new Promise((resolve) => {
      client.subscribe(group, { qos: 1 }, (_, grants) => resolve(grants ?? []));
    });
    // The last filter is the event stream: whoever may hear it may hear its table.
    if (granted.length > 0 && granted.at(-1).qos < REFUSED) return true;
  }
  return false;
}

/** A machine that slept, or a network that came back, need not wait for the next try. */
function wakeUp(client) {
  const hurry = () => { if (!client.connected && client.reconnecting) client.reconnect(); };
  addEventListener("online", hurry);
  document.addEventListener("visibilitychange", () => { if (!document.hidden) hurry(); });
}
