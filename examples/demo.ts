/** A real agent loop over three MCP servers: `npm start -- "your question"`, or with `--break=files,memory` to see servers fail. */

import { parseArgs } from 'node:util';
import { generateText, isStepCount, type LanguageModel } from 'ai';
import { closeToolSet, createMcpToolSet } from 'mcp-tool-set';
import { rateLimit, readOnly } from 'mcp-tool-set/middleware';
import { tracing } from 'mcp-tool-set/tracing';
import { writeDocuments } from './demo/documents.ts';
import { offlineModel } from './demo/offline-model.ts';
import { heading, messageOf, printCalls, printServers, printSpans, printUsage } from './demo/print.ts';
import { SERVER_NAMES, type ServerName, startServers } from './demo/servers.ts';
import { recordSpans } from './demo/spans.ts';

const QUESTION =
  'Who in the knowledge graph works in the Chicago office, what does the visit plan say about it, and how is the weather there?';
const LIMIT = { limit: 30, interval: 60_000, maxWait: 5_000 };

// So that Ctrl-C ends the servers, too.
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stopping.abort(new Error(`stopped by ${signal}`)));
globalThis.AI_SDK_LOG_WARNINGS = false;

try {
  await main(readArguments());
} catch (error) {
  console.error(`\nThe demo failed: ${messageOf(error)}`);
  process.exitCode = 1;
}

async function main({ question, broken }: { question: string; broken: ServerName[] }): Promise<void> {
  const recording = recordSpans();
  const limits = rateLimit(LIMIT);
  await using documents = await writeDocuments();
  await using demo = await startServers(documents, broken);
  const { model, about } = await chooseModel();
  console.log(`Question: ${question}\nModel: ${about}`);
  if (demo.failure !== undefined) console.log(`\nThe everything server did not start (${demo.failure}).`);

  await recording.run('demo', async () => {
    const tools = await createMcpToolSet({
      servers: demo.servers,
      middleware: [readOnly(), limits, tracing()],
      signal: stopping.signal,
      // Printed from the report instead.
      onWarning: false,
    });
    try {
      printServers(tools);
      heading('Calls');
      const { text } = await generateText({
        model,
        tools,
        prompt: question,
        stopWhen: isStepCount(12),
        abortSignal: stopping.signal,
        ...printCalls(tools),
      });
      heading('Answer');
      console.log(text);
    } finally {
      await closeToolSet(tools);
    }
  });
  printSpans(recording.spans());
  printUsage(limits.usage(), LIMIT.interval);
}

function readArguments(): { question: string; broken: ServerName[] } {
  const { values, positionals } = parseArgs({ options: { break: { type: 'string', default: '' } }, allowPositionals: true });
  const broken = values.break.split(',').filter((name) => name !== '');
  const unknown = broken.find((name) => !SERVER_NAMES.some((each) => each === name));
  if (unknown !== undefined) throw new Error(`there is no server "${unknown}" to break; there are ${SERVER_NAMES.join(', ')}.`);
  return { question: positionals.join(' ').trim() || QUESTION, broken: broken as ServerName[] };
}

async function chooseModel(): Promise<{ model: LanguageModel; about: string }> {
  if (!process.env.OPENAI_API_KEY) {
    const about = 'offline planner, because OPENAI_API_KEY is not set: it plans by words, and answers with what it read';
    return { model: offlineModel(), about };
  }
  const { openai } = await import('@ai-sdk/openai');
  const name = process.env.OPENAI_MODEL || 'gpt-5-mini';
  return { model: openai(name), about: `OpenAI ${name}` };
}
