// Clocks between messages. In: readings with the table's time, and the browser's time. Out: milliseconds left at any
// moment, and their text. A pure module: the browser's time is handed in.

/** How long a link's smallest delay is remembered, in ms: clocks of two machines drift apart. */
const WINDOW_MS = 60_000;
/** A running clock that is corrected upwards by less than this waits instead of jumping back, in ms. */
const HOLD_MS = 1_200;
/** Below this tenths are shown, in ms. */
export const TENTHS_BELOW_MS = 20_000;

/** Maps the table's microseconds to the browser's milliseconds by the fastest message of late. */
export class TimeSync {
  #session = null;
  #begun = 0;
  #now = Infinity;
  #before = Infinity;

  /** A message of `session` stamped `t` arrived at `now`. */
  observe(session, t, now) {
    if (!Number.isFinite(t)) return;
    if (session !== this.#session) {
      this.#session = session;
      this.#now = this.#before = Infinity;
      this.#begun = now;
    } else if (now - this.#begun > WINDOW_MS) {
      this.#before = this.#now;
      this.#now = Infinity;
      this.#begun = now;
    }
    this.#now = Math.min(this.#now, now - t / 1000);
  }

  /** The browser's time at which `t` was, or null before any message. */
  at(t) {
    const offset = Math.min(this.#now, this.#before);
    return Number.isFinite(offset) && Number.isFinite(t) ? t / 1000 + offset : null;
  }
}

/** The two times of one board. */
export class BoardClock {
  #reading = null;
  #startedT = null;
  #shown = { white: null, black: null };
  #result = null;

  /** Takes `{white_ms, black_ms, running}` read at `t`, older ones excepted. */
  take(session, t, times) {
    if (!times || !Number.isFinite(times.white_ms) || !Number.isFinite(times.black_ms)) return;
    const running = times.running === "white" || times.running === "black" ? times.running : null;
    const next = { session, t: Number.isFinite(t) ? t : 0, white: times.white_ms, black: times.black_ms, running };
    const last = this.#reading;
    if (last?.session === session) {
      const same = last.white === next.white && last.black === next.black && last.running === running;
      // A state repeats what the clock said earlier: the earliest stamp is the reading's.
      if (same) {
        last.t = Math.min(last.t, next.t);
        return;
      }
      if (next.t < last.t) return;
    }
    if (running !== last?.running || session !== last?.session) this.#startedT = next.t;
    this.#reading = next;
    this.#result = null;
  }

  /** Forgets everything: another game. */
  reset() {
    this.#reading = null;
    this.#result = null;
    this.#shown = { white: null, black: null };
  }

  /**
   * `{white, black, running}` in ms at `now`; null without a reading. `delayMs` passes before a turn's time runs;
   * while `frozen` the last that was shown stays.
   */
  show(now, sync, { frozen = false, delayMs = 0 } = {}) {
    const reading = this.#reading;
    if (!reading) return null;
    if (frozen && this.#result) return { ...this.#result, running: null };
    const result = { white: reading.white, black: reading.black, running: frozen ? null : reading.running };
    const side = result.running;
    if (side) {
      const base = sync.at(reading.t) ?? now;
      const waits = Math.max(0, delayMs - (reading.t - this.#startedT) / 1000);
      const left = reading[side] - Math.max(0, now - base - waits);
      const shown = this.#shown[side];
      result[side] = shown !== null && left > shown && left - shown < HOLD_MS ? shown : left;
    }
    for (const one of ["white", "black"]) {
      result[one] = Math.max(0, result[one]);
      this.#shown[one] = one === side ? result[one] : null;
    }
    if (!frozen) this.#result = result;
    return result;
  }
}

/** `[whole, tenths]`: "4:05" and "" or "0:07" and ".3". */
export function format(ms) {
  const tenths = Math.floor(Math.max(0, ms) / 100);
  const seconds = Math.floor(tenths / 10);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60)];
  const whole = hours > 0 ? `${hours}:${two(minutes % 60)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
  return [whole, ms < TENTHS_BELOW_MS ? `.${tenths % 10}` : ""];
}

/** "180d2" is a delay of 2000 ms; increments and Bronstein give time only after the move. */
export function delayMs(timeControl) {
  const found = /^\d+d(\d+)$/.exec(timeControl ?? "");
  return found ? Number(found[1]) * 1000 : 0;
}

/** A time control for people: "3 min + 2 s". */
export function terms(timeControl) {
  const found = /^(\d+)([+db])(\d+)$/.exec(timeControl ?? "");
  if (!found) return timeControl ?? "";
  const [, base, kind, extra] = found;
  const seconds = Number(base);
  const first = seconds % 60 === 0 && seconds > 0 ? `${seconds / 60} min` : `${seconds} s`;
  if (Number(extra) === 0) return first;
  return first + { "+": ` + ${extra} s`, d: `, delay ${extra} s`, b: `, Bronstein ${extra} s` }[kind];
}
