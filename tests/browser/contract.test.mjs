// The AsyncAPI document that the program prints, against the schema of AsyncAPI itself.
//
// BUGHOUSED   the program, ../../target/debug/bughoused unless said

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { test } from "node:test";
import Ajv from "ajv";
import addFormats from "ajv-formats";

const require = createRequire(import.meta.url);
const PROGRAM = process.env.BUGHOUSED ?? new URL("../../target/debug/bughoused", import.meta.url).pathname;

const validator = () => {
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats(ajv);
  return ajv.compile(require("@asyncapi/specs/schemas/3.0.0-without-$id.json"));
};

test("it is a valid AsyncAPI 3.0 document with every kind of topic", () => {
  const document = JSON.parse(execFileSync(PROGRAM, ["schema", "asyncapi"], { encoding: "utf8" }));
  const valid = validator();
  assert.ok(valid(document), JSON.stringify(valid.errors?.slice(0, 5), null, 2));
  const addresses = Object.values(document.channels).map((channel) => channel.address);
  for (const address of ["{prefix}/table/{table}/{feed}/event", "{prefix}/table/{table}/arbiter/request/{verb}"]) {
    assert.ok(addresses.includes(address), address);
  }
  delete document.channels.event.address;
  document.channels.event.adress = "misspelt";
  assert.ok(!valid(document), "a misspelt key is found");
});
