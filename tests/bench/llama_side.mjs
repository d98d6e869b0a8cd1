// The other side of compare_llama.py: llama.cpp by node-llama-cpp, without a graphics card. Reads one JSON line
// {"tokens": N} after another and answers {"ms": [...]}: what each of some runs of so many tokens takes, the model and its
// weights in memory, up to the choice of the next token.
//
//     node llama_side.mjs FOLDER_OF_NODE_MODULES MODEL.gguf THREADS
import {createRequire} from 'node:module';
import path from 'node:path';
import readline from 'node:readline';
import {pathToFileURL} from 'node:url';

const [modules, file, threads] = process.argv.slice(2);
const resolved = createRequire(path.join(path.resolve(modules), 'x.js')).resolve('node-llama-cpp');
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(resolved));
const llama = await getLlama({gpu: false, build: 'never', logLevel: LlamaLogLevel.error, maxThreads: Number(threads)});
const model = await llama.loadModel({modelPath: file});
const context = await model.createContext({contextSize: 1200, batchSize: 1200, threads: Number(threads)});
const sequence = context.getSequence();

async function milliseconds(tokens, first) {
  await sequence.clearHistory();
  const ids = Array.from({length: tokens}, (_, i) => i === 0 ? first : 100 + 37 * i % 1000);
  const last = ids.pop();
  const begin = process.hrtime.bigint();
  await sequence.controlledEvaluate([...ids, [last, {generateNext: {token: true}}]]);
  return Number(process.hrtime.bigint() - begin) / 1e6;
}

console.log(JSON.stringify({ready: true}));
for await (const line of readline.createInterface({input: process.stdin})) {
  const {tokens} = JSON.parse(line);
  const ms = [], end = process.hrtime.bigint() + 700000000n;
  await milliseconds(tokens, 1);
  for (let k = 0; k < 3 || process.hrtime.bigint() < end; ++k) ms.push(await milliseconds(tokens, 2 + k % 50));
  console.log(JSON.stringify({ms}));
}
process.exit(0);
