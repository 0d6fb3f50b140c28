// Chromium and its complaints. Every page that a test opens collects console errors, script errors and violations of
// the content security policy; `quiet` fails on any.

import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A wait that is not over by then is a failure, in ms. */
export const PATIENCE_MS = 15_000;

export class Browser {
  static async launch() {
    const browser = new Browser();
    const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
    browser.chromium = await chromium.launch({ executablePath, headless: true, args: ARGUMENTS });
    return browser;
  }

  /** A page of its own context at `url`; `before` may prepare it. */
  async open(url, { width = 1280, height = 720, theme = "light", zone = undefined, before = async () => {} } = {}) {
    const viewport = { width, height };
    const looks = { viewport, colorScheme: theme, timezoneId: zone, reducedMotion: "reduce" };
    const context = await this.chromium.newContext(looks);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.complaints = [];
    page.on("pageerror", (error) => page.complaints.push(`script: ${error}`));
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) page.complaints.push(`console: ${message.text()}`);
    });
    await page.addInitScript(() => {
      window.violations = [];
      document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
    });
    await before(page);
    await page.goto(url);
    return page;
  }

  close() {
    return this.chromium.close();
  }
}

/** Closes a page that had nothing to complain of. */
export async function quiet(page) {
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

/** Waits until `read`, run in the page with `argument`, answers `expect`. */
export async function until(page, read, expect, argument) {
  let found;
  const end = Date.now() + PATIENCE_MS;
  do {
    found = await page.evaluate(read, argument);
    if (JSON.stringify(found) === JSON.stringify(expect)) return;
    await page.waitForTimeout(50);
  } while (Date.now() < end);
  assert.deepEqual(found, expect);
}

export const textOf = (page, selector) => page.locator(selector).first().innerText();
