// Asks asl-validator about many definitions: {name: definition} on stdin, {name: [errors]} of those
// that are wrong on stdout. Its argument is the folder of the package.
"use strict";

const folder = process.argv[2];

// The package compiles its schemas anew for each definition, which takes most of its time; they
// are always the same, so the compiler it made first is given to it again.
const ajv = require(require.resolve("ajv", { paths: [folder] }));
const Ajv = ajv.default;
let first;
ajv.default = function (options) {
  if (first) first.addKeyword = () => first; // those of the first time are there already
  else first = new Ajv(options);
  return first;
};

const validate = require(folder);

let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (part) => {
  text += part;
});
process.stdin.on("end", () => {
  const wrong = {};
  for (const [name, definition] of Object.entries(JSON.parse(text))) {
    const { isValid, errors } = validate(definition);
    if (!isValid) wrong[name] = errors.map((e) => `${e["Error code"]} ${e.Message ?? e.message}`);
  }
  process.stdout.write(JSON.stringify(wrong));
});
