//! The scripted conversations with async-openai, whose types accept no member that is missing or of another type.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::chat::{ChatCompletionMessageToolCalls, CreateChatCompletionRequest};
use async_openai::types::embeddings::CreateEmbeddingRequest;
use futures::StreamExt;
use serde_json::{Value, json};
use std::env::var;
use std::error::Error;
use std::fmt::Debug;

type Outcome = Result<(), Box<dyn Error>>;

const HELLO: &str = "Say hello";
const GREETING: &str = "Hello to you";
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/// A model of the scripted vendor, named after what it does: scripts/clients/vendor/vendor.ts.
fn model(what: &str) -> String {
    format!("{}/{what}-{}", var("TURNPIKE_VENDOR").unwrap(), var("TURNPIKE_RUN").unwrap())
}

fn client(key: &str) -> Client<OpenAIConfig> {
    let base = format!("{}/v1", var("TURNPIKE_URL").unwrap());
    Client::with_config(OpenAIConfig::new().with_api_base(base).with_api_key(key))
}

fn own() -> Client<OpenAIConfig> {
    client(&var("TURNPIKE_KEY").unwrap())
}

fn asking(content: impl Into<Value>, what: &str) -> Value {
    json!({ "model": model(what), "messages": [{ "role": "user", "content": content.into() }] })
}

fn request(body: &Value) -> CreateChatCompletionRequest {
    serde_json::from_value(body.clone()).expect("a request")
}

fn equal<T: PartialEq + Debug>(seen: T, expected: T) -> Outcome {
    if seen == expected { Ok(()) } else { Err(format!("expected {expected:?}, got {seen:?}").into()) }
}

async fn text_of(body: &Value) -> Result<String, OpenAIError> {
    let completion = own().chat().create(request(body)).await?;
    Ok(completion.choices[0].message.content.clone().unwrap_or_default())
}

/// The text, in pieces.
async fn streamed(body: &Value) -> Result<Vec<String>, OpenAIError> {
    let mut stream = own().chat().create_stream(request(body)).await?;
    let mut pieces = Vec::new();
    while let Some(chunk) = stream.next().await {
        pieces.extend(chunk?.choices.into_iter().filter_map(|choice| choice.delta.content));
    }
    Ok(pieces.into_iter().filter(|piece| !piece.is_empty()).collect())
}

async fn text() -> Outcome {
    let completion = own().chat().create(request(&asking(HELLO, "plain"))).await?;
    equal(completion.choices[0].message.content.as_deref(), Some(GREETING))?;
    equal(completion.usage.map(|usage| usage.total_tokens), Some(13))
}

async fn stream() -> Outcome {
    let pieces = streamed(&asking(HELLO, "plain")).await?;
    equal(pieces.concat().as_str(), GREETING)?;
    equal(pieces.len() > 1, true)?;
    let mut body = asking(HELLO, "plain");
    body["stream_options"] = json!({ "include_usage": true });
    let mut chunks = own().chat().create_stream(request(&body)).await?;
    let mut total = None;
    while let Some(chunk) = chunks.next().await {
        total = chunk?.usage.map(|usage| usage.total_tokens);
    }
    equal(total, Some(13))
}

async fn tools() -> Outcome {
    let parameters = json!({ "type": "object", "properties": { "city": { "type": "string" } }, "required": ["city"] });
    let function = json!({ "name": "get_weather", "description": "The weather in a city", "parameters": parameters });
    let mut body = asking("How is the weather in Oslo and in Rome?", "plain");
    body["tools"] = json!([{ "type": "function", "function": function }]);

    let mut arguments = [String::new(), String::new()];
    let mut chunks = own().chat().create_stream(request(&body)).await?;
    while let Some(chunk) = chunks.next().await {
        for call in chunk?.choices.into_iter().flat_map(|choice| choice.delta.tool_calls.unwrap_or_default()) {
            let piece = call.function.and_then(|function| function.arguments).unwrap_or_default();
            arguments[call.index as usize].push_str(&piece);
        }
    }
    equal(arguments, [r#"{"city":"Oslo"}"#.to_owned(), r#"{"city":"Rome"}"#.to_owned()])?;

    let completion = own().chat().create(request(&body)).await?;
    let message = &completion.choices[0].message;
    let mut turns = vec![body["messages"][0].clone(), serde_json::to_value(message)?];
    for call in message.tool_calls.iter().flatten() {
        let ChatCompletionMessageToolCalls::Function(call) = call else { return Err("expected a function".into()) };
        let input: Value = serde_json::from_str(&call.function.arguments)?;
        let output = format!("{} is sunny", input["city"].as_str().unwrap_or_default());
        turns.push(json!({ "role": "tool", "tool_call_id": call.id, "content": output }));
    }
    body["messages"] = turns.into();
    equal(text_of(&body).await?.as_str(), "It said: Oslo is sunny and Rome is sunny")
}

async fn structured() -> Outcome {
    let mut body = asking("Extract the city and the degrees: it has 21 degrees in Oslo.", "plain");
    let properties = json!({ "city": { "type": "string" }, "degrees": { "type": "integer" } });
    let schema = json!({ "type": "object", "properties": properties, "required": ["city", "degrees"], "additionalProperties": false });
    body["response_format"] = json!({ "type": "json_schema", "json_schema": { "name": "reading", "strict": true, "schema": schema } });
    equal(serde_json::from_str::<Value>(&text_of(&body).await?)?, json!({ "city": "Oslo", "degrees": 21 }))
}

async fn images() -> Outcome {
    let image = json!({ "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{PNG}") } });
    let body = asking(json!([{ "type": "text", "text": "What is in the picture?" }, image]), "plain");
    equal(text_of(&body).await?.as_str(), "I see image/png of 70 bytes.")
}

fn fails<T: Debug>(outcome: Result<T, OpenAIError>, status: u16) -> Outcome {
    match outcome {
        Err(OpenAIError::ApiError(error)) => equal(error.status_code.as_u16(), status),
        other => Err(format!("expected a {status} of the API, got {other:?}").into()),
    }
}

async fn errors() -> Outcome {
    fails(client("tp_demo_wrong").chat().create(request(&asking(HELLO, "plain"))).await, 401)?;
    let mut unknown = asking(HELLO, "plain");
    unknown["model"] = "nowhere/m".into();
    fails(text_of(&unknown).await, 400)?;
    // The wait of a 429 would be tried out first.
    fails(text_of(&asking(HELLO, "failing-400")).await, 400)?;
    match streamed(&asking(HELLO, "cut")).await {
        Err(_) => Ok(()),
        Ok(pieces) => Err(format!("a stream that was cut has no error: {pieces:?}").into()),
    }
}

async fn retries() -> Outcome {
    for what in ["busy-429", "busy-500"] {
        equal(text_of(&asking(HELLO, what)).await?.as_str(), GREETING)?;
    }
    Ok(())
}

async fn abort() -> Outcome {
    let mut stream = own().chat().create_stream(request(&asking(HELLO, "slow"))).await?;
    while let Some(chunk) = stream.next().await {
        if chunk?.choices.iter().any(|choice| choice.delta.content.as_deref().is_some_and(|text| !text.is_empty())) {
            break;
        }
    }
    drop(stream);
    // The connection is closed by a task of the runtime.
    tokio::task::yield_now().await;
    Ok(())
}

async fn embeddings() -> Outcome {
    let body = json!({ "model": model("embedding"), "input": ["one", "another"] });
    let made = own().embeddings().create(serde_json::from_value::<CreateEmbeddingRequest>(body)?).await?;
    equal(made.data.iter().map(|each| each.embedding.len()).collect::<Vec<_>>(), vec![4, 4])
}

fn report(check: &str, outcome: Outcome) {
    let line = match outcome {
        Ok(()) => json!({ "check": check }),
        Err(error) => json!({ "check": check, "failure": error.to_string() }),
    };
    println!("{line}");
}

#[tokio::main]
async fn main() {
    report("text", text().await);
    report("stream", stream().await);
    report("tools", tools().await);
    report("structured", structured().await);
    report("images", images().await);
    report("errors", errors().await);
    report("retries", retries().await);
    report("abort", abort().await);
    if var("TURNPIKE_VENDOR").unwrap() != "by-messages" {
        report("embeddings", embeddings().await);
    }
}
