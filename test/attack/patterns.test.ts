import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { publishedPatterns } from '#test/support/published-patterns.ts';

/** Of each pattern: texts that it takes and others, and whether it does. */
const verdicts = publishedPatterns().map((pattern) => {
  const fitting = fc.stringMatching(new RegExp(pattern, 'u'));
  const texts = fc.sample(fc.oneof(fitting, fc.string({ maxLength: 6, unit: 'grapheme' })), {
    seed: 5,
    numRuns: 300,
  });
  // Python and Java let $ stand before a last line break, and no pattern says otherwise to all engines.
  const held = texts.filter((text) => !/[\n\r\u0085\u2028\u2029]$/u.test(text));
  return { pattern, texts: held, takes: held.map((text) => new RegExp(pattern, 'u').test(text)) };
});
const asked = JSON.stringify(verdicts.map(({ pattern, texts }) => ({ pattern, texts })));
const expected = verdicts.map(({ takes }) => takes);

/** The engines of other languages read the published patterns as ours does. */
describe('published patterns elsewhere', function () {
  this.timeout(120_000);

  it('mean the same to Python', () => {
    expect(answered('python3', ['-c', PYTHON])).to.deep.equal(expected);
  });

  it('mean the same to Go, and so to RE2', () => {
    const folder = mkdtempSync(join(tmpdir(), 'quipu-patterns-'));
    try {
      const program = join(folder, 'main.go');
      writeFileSync(program, GO);
      expect(answered('go', ['run', program])).to.deep.equal(expected);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

const answered = (command: string, args: readonly string[]): unknown =>
  JSON.parse(execFileSync(command, args, { input: asked, maxBuffer: 64 * 1024 * 1024 }).toString());

const PYTHON = `
import json, re, sys
print(json.dumps([[re.search(p["pattern"], t) is not None for t in p["texts"]] for p in json.load(sys.stdin)]))
`;

const GO = `package main

import (
	"encoding/json"
	"os"
	"regexp"
)

func main() {
	var asked []struct {
		Pattern string
		Texts   []string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	answers := make([][]bool, len(asked))
	for n, one := range asked {
		pattern := regexp.MustCompile(one.Pattern)
		answers[n] = make([]bool, len(one.Texts))
		for at, text := range one.Texts {
			answers[n][at] = pattern.MatchString(text)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		panic(err)
	}
}
`;
