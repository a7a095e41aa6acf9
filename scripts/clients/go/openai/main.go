package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

const (
	hello       = "Say hello"
	greeting    = "Hello to you"
	question    = "How is the weather in Oslo and in Rome?"
	answer      = "It said: Oslo is sunny and Rome is sunny"
	extraction  = "Extract the city and the degrees: it has 21 degrees in Oslo."
	picture     = "What is in the picture?"
	seen        = "I see image/png of 70 bytes."
	png         = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
	weatherTool = "get_weather"
)

type params = openai.ChatCompletionNewParams

var (
	background = context.Background()
	vendor     = os.Getenv("TURNPIKE_VENDOR")
	client     = clientWith(os.Getenv("TURNPIKE_KEY"))
	once       = option.WithMaxRetries(0)
)

func clientWith(key string) openai.Client {
	return openai.NewClient(option.WithAPIKey(key), option.WithBaseURL(os.Getenv("TURNPIKE_URL")+"/v1"))
}

// A model of the scripted vendor, named after what it does: scripts/clients/vendor/vendor.ts.
func model(what string) string {
	return fmt.Sprintf("%s/%s-%s", vendor, what, os.Getenv("TURNPIKE_RUN"))
}

func asking(text, what string) params {
	return params{Model: model(what), Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}}
}

func check(name string, run func() error) {
	report := map[string]string{"check": name}
	if err := run(); err != nil {
		report["failure"] = err.Error()
	}
	// Members in the order that the runner expects: `check` is the first of the alphabet.
	line, _ := json.Marshal(report)
	fmt.Println(string(line))
}

func equal(found, expected any) error {
	if one, other := fmt.Sprint(found), fmt.Sprint(expected); one != other {
		return fmt.Errorf("expected %s, got %s", other, one)
	}
	return nil
}

func textOf(request params, options ...option.RequestOption) (string, error) {
	completion, err := client.Chat.Completions.New(background, request, options...)
	if err != nil {
		return "", err
	}
	return completion.Choices[0].Message.Content, nil
}

func says(request params, expected string) error {
	text, err := textOf(request)
	return errors.Join(err, equal(text, expected))
}

func streamed(request params, options ...option.RequestOption) (openai.ChatCompletionAccumulator, int, error) {
	stream := client.Chat.Completions.NewStreaming(background, request, options...)
	defer stream.Close()
	var whole openai.ChatCompletionAccumulator
	pieces := 0
	for stream.Next() {
		chunk := stream.Current()
		if !whole.AddChunk(chunk) {
			return whole, pieces, fmt.Errorf("a chunk does not fit: %s", chunk.RawJSON())
		}
		if len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
			pieces++
		}
	}
	return whole, pieces, stream.Err()
}

func fails(err error, status int) error {
	var failure *openai.Error
	if !errors.As(err, &failure) {
		return fmt.Errorf("expected an error of the API, got %v", err)
	}
	if failure.Message == "" {
		return fmt.Errorf("expected a message, got %v", failure.RawJSON())
	}
	return equal(failure.StatusCode, status)
}

func main() {
	check("text", func() error {
		completion, err := client.Chat.Completions.New(background, asking(hello, "plain"))
		if err != nil {
			return err
		}
		return errors.Join(
			equal(completion.Choices[0].Message.Content, greeting),
			equal(completion.Choices[0].FinishReason, "stop"),
			equal(completion.Usage.TotalTokens, 13),
		)
	})

	check("stream", func() error {
		request := asking(hello, "plain")
		request.StreamOptions.IncludeUsage = openai.Bool(true)
		whole, pieces, err := streamed(request)
		if err != nil {
			return err
		}
		return errors.Join(equal(whole.Choices[0].Message.Content, greeting), equal(pieces > 1, true), equal(whole.Usage.TotalTokens, 13))
	})

	check("tools", func() error {
		schema := openai.FunctionParameters{"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []string{"city"}}
		for _, isStream := range []bool{false, true} {
			request := asking(question, "plain")
			request.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
				Name: weatherTool, Description: openai.String("The weather in a city"), Parameters: schema,
			})}
			var message openai.ChatCompletionMessage
			if isStream {
				whole, _, err := streamed(request)
				if err != nil {
					return err
				}
				message = whole.Choices[0].Message
			} else {
				completion, err := client.Chat.Completions.New(background, request)
				if err != nil {
					return err
				}
				message = completion.Choices[0].Message
			}
			if err := equal(len(message.ToolCalls), 2); err != nil {
				return err
			}
			request.Messages = append(request.Messages, message.ToParam())
			for _, call := range message.ToolCalls {
				var input struct {
					City string `json:"city"`
				}
				if err := errors.Join(equal(call.Function.Name, weatherTool), json.Unmarshal([]byte(call.Function.Arguments), &input)); err != nil {
					return err
				}
				request.Messages = append(request.Messages, openai.ToolMessage(input.City+" is sunny", call.ID))
			}
			if err := says(request, answer); err != nil {
				return err
			}
		}
		return nil
	})

	check("structured", func() error {
		properties := map[string]any{"city": map[string]any{"type": "string"}, "degrees": map[string]any{"type": "integer"}}
		schema := map[string]any{"type": "object", "properties": properties, "required": []string{"city", "degrees"}, "additionalProperties": false}
		request := asking(extraction, "plain")
		request.ResponseFormat = openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &openai.ResponseFormatJSONSchemaParam{
			JSONSchema: openai.ResponseFormatJSONSchemaJSONSchemaParam{Name: "reading", Schema: schema, Strict: openai.Bool(true)},
		}}
		return says(request, `{"city":"Oslo","degrees":21}`)
	})

	check("images", func() error {
		request := params{Model: model("plain"), Messages: []openai.ChatCompletionMessageParamUnion{
			openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
				openai.TextContentPart(picture),
				openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + png}),
			}),
		}}
		return says(request, seen)
	})

	check("errors", func() error {
		stranger := clientWith("tp_demo_wrong")
		_, unauthorized := stranger.Chat.Completions.New(background, asking(hello, "plain"))
		unknown := asking(hello, "plain")
		unknown.Model = "nowhere/m"
		_, bad := textOf(unknown)
		_, limited := textOf(asking(hello, "failing-429"), once)
		_, failed := textOf(asking(hello, "failing-500"), once)
		_, _, inStream := streamed(asking(hello, "failing-500"), once)
		if _, _, cut := streamed(asking(hello, "cut"), once); cut == nil {
			return errors.New("a stream that was cut has no error")
		}
		return errors.Join(fails(unauthorized, 401), fails(bad, 400), fails(limited, 429), fails(failed, 503), fails(inStream, 503))
	})

	check("retries", func() error {
		_, _, err := streamed(asking(hello, "busy-503"))
		return errors.Join(says(asking(hello, "busy-429"), greeting), says(asking(hello, "busy-500"), greeting), err)
	})

	check("abort", func() error {
		ctx, cancel := context.WithCancel(background)
		stream := client.Chat.Completions.NewStreaming(ctx, asking(hello, "slow"))
		for stream.Next() {
			if chunk := stream.Current(); len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
				cancel()
			}
		}
		cancel()
		if err := stream.Err(); !errors.Is(err, context.Canceled) {
			return fmt.Errorf("expected that the context was canceled, got %v", err)
		}
		return nil
	})

	if vendor != "by-messages" {
		check("embeddings", func() error {
			made, err := client.Embeddings.New(background, openai.EmbeddingNewParams{
				Model: model("embedding"), Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"one", "another"}},
			})
			if err != nil {
				return err
			}
			return errors.Join(equal(len(made.Data), 2), equal(len(made.Data[1].Embedding), 4))
		})
	}
}
