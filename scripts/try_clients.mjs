// The example, walked by the JavaScript clients; run by scripts/try_clients. Arguments: base URL, key.
import { readFileSync } from "node:fs";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import OpenAI from "openai";

const [baseURL, apiKey] = process.argv.slice(2);
const conversation = JSON.parse(readFileSync("conversation.json", "utf8"));
const openai = (headers) => new OpenAI({ baseURL, apiKey, defaultHeaders: headers });
const aiSdk = (headers) => createOpenAICompatible({ name: "maitred", baseURL, apiKey, headers, includeUsage: true })("presales");

const ways = {
  "openai, whole": (headers) => async (messages) => {
    const { data, response } = await openai(headers).chat.completions.create({ model: "presales", messages }).withResponse();
    return [data.choices[0].message.content, response.headers.get("x-maitred-state")];
  },
  "openai, stream": (headers) => async (messages) => {
    const options = { model: "presales", messages, stream: true, stream_options: { include_usage: true } };
    const { data, response } = await openai(headers).chat.completions.create(options).withResponse();
    let text = "";
    for await (const chunk of data) text += chunk.choices[0]?.delta?.content ?? "";
    return [text, response.headers.get("x-maitred-state")];
  },
  "AI SDK, whole": (headers) => async (messages) => {
    const { text, response, finishReason } = await generateText({ model: aiSdk(headers), messages });
    if (finishReason !== "stop") throw new Error(`finishReason ${finishReason}`);
    return [text, response.headers["x-maitred-state"]];
  },
  "AI SDK, stream": (headers) => async (messages) => {
    const result = streamText({ model: aiSdk(headers), messages, onError: ({ error }) => { throw error; } });
    let text = "";
    for await (const part of result.textStream) text += part;
    if ((await result.finishReason) !== "stop") throw new Error(`finishReason ${await result.finishReason}`);
    return [text, (await result.response).headers["x-maitred-state"]];
  },
};

let failed = 0;
for (const [way, client] of Object.entries(ways)) {
  for (const named of [true, false]) {
    const ask = client(named ? { "X-Conversation-Id": `${way} ${Date.now()}` } : {});
    const messages = [];
    let state;
    for (const content of conversation) {
      messages.push({ role: "user", content });
      const [reply, now] = await ask(messages);
      messages.push({ role: "assistant", content: reply });
      state = now;
    }
    if (state !== "completed") failed += 1;
    console.log(`${way}, ${named ? "named" : "nameless"}: ${messages.length / 2} messages, ${state}`);
  }
}
process.exit(failed ? 1 : 0);
