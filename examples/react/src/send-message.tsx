/** A form that sends a message: what the API refuses is shown at its input. */
import { useMutation } from "@apollo/client/react";
import { AnswerDocument, ErrorCode, failedAt } from "messaging-graphql-client";
import { type FormEvent, useState } from "react";

/** The arguments of the mutation that have an input, and their labels. */
const labels = { channel: "Channel", to: "To", body: "Text" };
const names = Object.keys(labels) as (keyof typeof labels)[];

export function SendMessage() {
  const [values, setValues] = useState({ channel: "sms", to: "", body: "" });
  // the same until the message is sent, so that a second try does not send it twice
  const [key, setKey] = useState(() => crypto.randomUUID());
  const [send, { data, error, loading }] = useMutation(AnswerDocument, { errorPolicy: "all" });
  const failed = failedAt(error, ["sendMessage"]);
  const refusals = refusalsOf(failed);
  const isMarked = names.some((name) => refusals.has(name));

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const sent = await send({ variables: { ...values, key } });
    if (sent.data?.sendMessage) setKey(crypto.randomUUID());
  };

  return (
    <form onSubmit={submit} noValidate>
      <h2>Send a message</h2>
      {names.map((name) => (
        <p key={name}>
          <label>
            {labels[name]}{" "}
            <input
              value={values[name]}
              aria-invalid={refusals.has(name)}
              aria-describedby={`${name}-refusal`}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          </label>{" "}
          <small id={`${name}-refusal`}>{refusals.get(name)}</small>
        </p>
      ))}
      {error && !isMarked && <p role="alert">The message was not sent: {failed?.message ?? error.message}</p>}
      <button type="submit" disabled={loading}>
        Send
      </button>
      {data?.sendMessage && <output>Sent.</output>}
    </form>
  );
}

/** What is wrong with each argument. REST may list several; otherwise the error names one. */
function refusalsOf(failed: ReturnType<typeof failedAt>): ReadonlyMap<string, string> {
  const { code, argument, errors } = failed?.extensions ?? {};
  if (!failed || (code !== ErrorCode.BAD_USER_INPUT && code !== ErrorCode.CONFLICT)) return new Map();
  const items = errors ?? [{ argument, detail: failed.message }];
  return new Map(
    items.flatMap((item) => (item.argument ? [[item.argument, item.detail ?? failed.message]] : [])),
  );
}
