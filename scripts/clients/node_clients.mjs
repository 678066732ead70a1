// The JavaScript clients: openai-js and the AI SDK, as their documentation shows them. Works as python_clients.py does:
//   node node_clients.mjs CLIENT BASE_URL KEY TRIES < PLANS
import { readFileSync } from "node:fs";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import OpenAI from "openai";

const [client, baseURL, apiKey, tries] = process.argv.slice(2);
const AT_ONCE = 5;
const model = "presales";
const headersOf = (plan) => (plan.way === "named" ? { "X-Conversation-Id": plan.id } : {});

const openaiChat = (plan) => {
  const openai = new OpenAI({ baseURL, apiKey, defaultHeaders: headersOf(plan) });
  let messages = [];
  return async (content) => {
    const asked = [...messages, { role: "user", content }];
    const { data, response } = await openai.chat.completions
      .create({ model, messages: asked, stream: plan.stream })
      .withResponse();
    let reply = "";
    let finish;
    for await (const part of plan.stream ? data : [data]) {
      reply += (part.choices[0]?.delta ?? part.choices[0]?.message)?.content ?? "";
      finish = part.choices[0]?.finish_reason ?? finish;
    }
    if (finish !== "stop") throw new Error(`finish_reason ${finish}`);
    messages = [...asked, { role: "assistant", content: reply }];
    return [reply, response.headers.get("x-maitred-session"), response.headers.get("x-maitred-state")];
  };
};

const openaiResponses = (plan) => {
  const openai = new OpenAI({ baseURL, apiKey, defaultHeaders: headersOf(plan) });
  let history = [];
  let previous;
  return async (content) => {
    const asked = [...history, { role: "user", content }];
    const fields = {
      conversation: { input: content, conversation: plan.id },
      previous: { input: content, previous_response_id: previous },
    }[plan.way] ?? { input: asked };
    const { data, response } = await openai.responses.create({ model, stream: plan.stream, ...fields }).withResponse();
    let done = data;
    if (plan.stream) {
      for await (const event of data) done = event;
      if (done.type !== "response.completed") throw new Error(`the last event is ${done.type}`);
      done = done.response;
    }
    history = [...asked, ...done.output];
    previous = done.id;
    const reply = done.output[0].content[0].text;
    return [reply, response.headers.get("x-maitred-session"), response.headers.get("x-maitred-state")];
  };
};

const aiSdk = (make) => (plan) => {
  let messages = [];
  let previousResponseId;
  return async (content) => {
    const asked = [...messages, { role: "user", content }];
    const alone = ["conversation", "previous"].includes(plan.way);
    const openai = { conversation: { conversation: plan.id }, previous: { previousResponseId } }[plan.way] ?? {};
    const options = {
      model: make({ baseURL, apiKey, headers: headersOf(plan) }),
      messages: alone ? asked.slice(-1) : asked,
      providerOptions: { openai },
    };
    const result = plan.stream ? streamText({ ...options, onError: () => {} }) : await generateText(options);
    if (plan.stream) for await (const part of result.fullStream) if (part.type === "error") throw part.error;
    const [text, finish, response] = [await result.text, await result.finishReason, await result.response];
    if (finish !== "stop") throw new Error(`finishReason ${finish}`);
    messages = [...asked, ...response.messages];
    previousResponseId = (await result.providerMetadata)?.openai?.responseId;
    return [text, response.headers["x-maitred-session"], response.headers["x-maitred-state"]];
  };
};

const clients = {
  "openai-js chat": openaiChat,
  "openai-js responses": openaiResponses,
  "ai-sdk compatible": aiSdk((options) => createOpenAICompatible({ name: "maitred", ...options })(model)),
  "ai-sdk chat": aiSdk((options) => createOpenAI(options).chat(model)),
  "ai-sdk responses": aiSdk((options) => createOpenAI(options)(model)),
};

const hold = async (plan) => {
  const say = clients[client](plan);
  const again = {};
  let session, state;
  for (const text of plan.texts) {
    for (let count = 0; ; count += 1) {
      try {
        let reply;
        [reply, session, state] = await say(text);
        if (!reply) throw new Error(`${plan.id}: no words in reply to ${text}`);
        break;
      } catch (error) {
        if (count >= Number(tries)) throw error;
        again[error.name] = (again[error.name] ?? 0) + 1;
      }
    }
  }
  console.log(JSON.stringify({ id: plan.id, session, state, again }));
};

const plans = JSON.parse(readFileSync(0, "utf8"));
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let plan = plans.shift(); plan; plan = plans.shift()) await hold(plan);
  }),
);
