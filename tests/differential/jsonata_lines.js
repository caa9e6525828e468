// Evaluates JSONata as Step Functions restricts it. One JSON request a line on stdin,
// {"expression", "variables"}; one JSON answer a line on stdout, {"value"} or {"error"}.
"use strict";

const { createHash } = require("node:crypto");
const readline = require("node:readline");
const jsonata = require(process.argv[2]);

async function answer({ expression, variables }) {
  try {
    const compiled = jsonata(expression);
    compiled.registerFunction("parse", (text) => JSON.parse(text), "<s:x>");
    compiled.registerFunction(
      "hash",
      (text, algorithm) => createHash(algorithm.replace("-", "")).update(text).digest("hex"),
      "<ss:s>",
    );
    compiled.registerFunction(
      "partition",
      (list, size) =>
        Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size)),
      "<an:a>",
    );
    compiled.registerFunction("eval", () => {
      throw new Error("$eval is not available");
    });
    const value = await compiled.evaluate(undefined, variables);
    if (value === undefined) return { error: "undefined" };
    if (typeof value === "function") return { error: "a function" };
    return { value };
  } catch (error) {
    return { error: `${error.code ?? ""} ${error.message}` };
  }
}

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    process.stdout.write(JSON.stringify(await answer(JSON.parse(line))) + "\n");
  }
})();
