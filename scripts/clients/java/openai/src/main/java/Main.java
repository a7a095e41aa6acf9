import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIServiceException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionContentPart;
import com.openai.models.chat.completions.ChatCompletionContentPartImage;
import com.openai.models.chat.completions.ChatCompletionContentPartText;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionMessage;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.embeddings.EmbeddingCreateParams;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The scripted conversations with OpenAI's Java SDK. Unknown and missing members are errors where it validates. */
public final class Main {
  private static final String HELLO = "Say hello";
  private static final String GREETING = "Hello to you";
  private static final String PNG =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
  private static final String VENDOR = System.getenv("TURNPIKE_VENDOR");
  private static final OpenAIClient CLIENT = client(System.getenv("TURNPIKE_KEY"), 2);
  private static final OpenAIClient ONCE = client(System.getenv("TURNPIKE_KEY"), 0);

  @JsonClassDescription("The weather in a city")
  public static class GetWeather {
    public String city;
  }

  public static class Reading {
    public String city;
    public int degrees;
  }

  private interface Run {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    check("text", Main::text);
    check("stream", Main::stream);
    check("tools", Main::tools);
    check("structured", Main::structured);
    check("images", Main::images);
    check("errors", Main::errors);
    check("retries", Main::retries);
    check("abort", Main::abort);
    if (!VENDOR.equals("by-messages")) check("embeddings", Main::embeddings);
    System.exit(0);
  }

  private static void text() {
    ChatCompletion completion = CLIENT.chat().completions().create(asking(HELLO, "plain").build()).validate();
    equal(textOf(completion), GREETING);
    equal(completion.choices().get(0).finishReason().toString(), "stop");
    equal(completion.usage().get().totalTokens(), 13L);
  }

  private static void stream() {
    ChatCompletionStreamOptions usage = ChatCompletionStreamOptions.builder().includeUsage(true).build();
    ChatCompletion whole = streamed(CLIENT, asking(HELLO, "plain").streamOptions(usage).build());
    equal(textOf(whole), GREETING);
    equal(whole.usage().get().totalTokens(), 13L);
  }

  private static void tools() {
    for (boolean isStream : new boolean[] {false, true}) {
      ChatCompletionCreateParams.Builder request = asking("How is the weather in Oslo and in Rome?", "plain").addTool(GetWeather.class);
      ChatCompletion asked = isStream ? streamed(CLIENT, request.build()) : CLIENT.chat().completions().create(request.build()).validate();
      ChatCompletionMessage message = asked.choices().get(0).message();
      request.addMessage(message);
      for (var call : message.toolCalls().get()) {
        ChatCompletionMessageFunctionToolCall made = call.asFunction();
        equal(made.function().name(), "GetWeather");
        String city = made.function().arguments(GetWeather.class).city;
        request.addMessage(ChatCompletionToolMessageParam.builder().toolCallId(made.id()).content(city + " is sunny").build());
      }
      ChatCompletion answered = CLIENT.chat().completions().create(request.build());
      equal(textOf(answered), "It said: Oslo is sunny and Rome is sunny");
    }
  }

  private static void structured() {
    String question = "Extract the city and the degrees: it has 21 degrees in Oslo.";
    var completion = CLIENT.chat().completions().create(asking(question, "plain").responseFormat(Reading.class).build());
    Reading reading = completion.choices().get(0).message().content().get();
    equal(reading.city + " " + reading.degrees, "Oslo 21");
  }

  private static void images() {
    var text = ChatCompletionContentPartText.builder().text("What is in the picture?").build();
    var url = ChatCompletionContentPartImage.ImageUrl.builder().url("data:image/png;base64," + PNG).build();
    var image = ChatCompletionContentPartImage.builder().imageUrl(url).build();
    var parts = List.of(ChatCompletionContentPart.ofText(text), ChatCompletionContentPart.ofImageUrl(image));
    var request = ChatCompletionCreateParams.builder().model(model("plain")).addUserMessageOfArrayOfContentParts(parts).build();
    equal(textOf(CLIENT.chat().completions().create(request)), "I see image/png of 70 bytes.");
  }

  private static void errors() {
    OpenAIClient stranger = client("tp_demo_wrong", 0);
    fails(401, () -> stranger.chat().completions().create(asking(HELLO, "plain").build()));
    fails(400, () -> CLIENT.chat().completions().create(asking(HELLO, "plain").model("nowhere/m").build()));
    fails(429, () -> ONCE.chat().completions().create(asking(HELLO, "failing-429").build()));
    fails(503, () -> ONCE.chat().completions().create(asking(HELLO, "failing-500").build()));
    fails(503, () -> streamed(ONCE, asking(HELLO, "failing-500").build()));
    try {
      streamed(ONCE, asking(HELLO, "cut").build());
    } catch (Exception expected) {
      return;
    }
    throw new AssertionError("A stream that was cut has no error");
  }

  private static void retries() {
    for (String what : List.of("busy-429", "busy-500"))
      equal(textOf(CLIENT.chat().completions().create(asking(HELLO, what).build())), GREETING);
    equal(textOf(streamed(CLIENT, asking(HELLO, "busy-503").build())), GREETING);
  }

  private static void abort() {
    try (StreamResponse<ChatCompletionChunk> stream = CLIENT.chat().completions().createStreaming(asking(HELLO, "slow").build())) {
      stream.stream().filter(chunk -> chunk.choices().get(0).delta().content().filter(text -> !text.isEmpty()).isPresent()).findFirst();
    }
  }

  private static void embeddings() {
    var request = EmbeddingCreateParams.builder().model(model("embedding")).inputOfArrayOfStrings(List.of("one", "another")).build();
    var made = CLIENT.embeddings().create(request);
    equal(made.data().size(), 2);
    equal(made.data().get(1).embedding().size(), 4);
  }

  private static OpenAIClient client(String key, int retries) {
    return OpenAIOkHttpClient.builder().apiKey(key).baseUrl(System.getenv("TURNPIKE_URL") + "/v1").maxRetries(retries).build();
  }

  /** A model of the scripted vendor, named after what it does: scripts/clients/vendor/vendor.ts. */
  private static String model(String what) {
    return VENDOR + "/" + what + "-" + System.getenv("TURNPIKE_RUN");
  }

  private static ChatCompletionCreateParams.Builder asking(String text, String what) {
    return ChatCompletionCreateParams.builder().model(model(what)).addUserMessage(text);
  }

  private static String textOf(ChatCompletion completion) {
    return completion.choices().get(0).message().content().orElse("");
  }

  private static ChatCompletion streamed(OpenAIClient client, ChatCompletionCreateParams request) {
    ChatCompletionAccumulator whole = ChatCompletionAccumulator.create();
    try (StreamResponse<ChatCompletionChunk> stream = client.chat().completions().createStreaming(request)) {
      stream.stream().forEach(chunk -> whole.accumulate(chunk.validate()));
    }
    return whole.chatCompletion();
  }

  private static void fails(int status, Run run) {
    try {
      run.run();
    } catch (OpenAIServiceException error) {
      equal(error.statusCode(), status);
      return;
    } catch (Exception error) {
      throw new AssertionError("Expected a " + status + ", got " + error, error);
    }
    throw new AssertionError("Expected a " + status + ", got an answer");
  }

  private static void equal(Object seen, Object expected) {
    if (!seen.equals(expected)) throw new AssertionError("Expected " + expected + ", got " + seen);
  }

  private static void check(String name, Run run) throws Exception {
    Map<String, String> report = new LinkedHashMap<>();
    report.put("check", name);
    try {
      run.run();
    } catch (Throwable error) {
      report.put("failure", error + " at " + List.of(error.getStackTrace()).subList(0, Math.min(3, error.getStackTrace().length)));
    }
    System.out.println(new ObjectMapper().writeValueAsString(report));
  }
}
