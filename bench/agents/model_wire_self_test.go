//go:build bench && !windows

package agents_test

import (
	"encoding/json"
	"testing"
)

func askAnthropic(prompt string, results int, tools ...string) object {
	var offer []object
	for _, name := range tools {
		offer = append(offer, object{"name": name})
	}
	messages := []object{{"role": "user",
		"content": []object{{"type": "text", "text": "A reminder."}, {"type": "text", "text": prompt}}}}
	for range results {
		messages = append(messages,
			object{"role": "assistant", "content": []object{{"type": "tool_use", "id": "x", "name": "Bash",
				"input": object{}}}},
			object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": "x",
				"content": "[[scenario:part]]"}}})
	}
	return object{"model": "m", "stream": true, "tools": offer, "messages": messages}
}

func readAnthropic(t *testing.T, body []byte) (text, tool, input string) {
	for _, e := range events(t, body) {
		if block, found := e["content_block"].(object); found && block["type"] == "tool_use" {
			tool = block["name"].(string)
		}
		delta, _ := e["delta"].(object)
		switch delta["type"] {
		case "text_delta":
			text += delta["text"].(string)
		case "input_json_delta":
			input += delta["partial_json"].(string)
		}
	}
	return text, tool, input
}

func askResponses(prompt string, results int, tools ...string) object {
	var offer []object
	for _, name := range tools {
		kind := "function"
		if name == "apply_patch" {
			kind = "custom"
		}
		offer = append(offer, object{"type": kind, "name": name})
	}
	input := []object{{"type": "message", "role": "user", "content": []object{{"type": "input_text", "text": prompt}}}}
	for range results {
		input = append(input, object{"type": "function_call", "call_id": "x", "name": "bash", "arguments": "{}"},
			object{"type": "function_call_output", "call_id": "x", "output": "[[scenario:part]]"})
	}
	return object{"model": "m", "stream": true, "tools": offer, "input": input}
}

func readResponses(t *testing.T, body []byte) (text, tool, input string) {
	all := events(t, body)
	last := all[len(all)-1]
	if last["type"] != "response.completed" {
		t.Fatalf("the stream ends with %v", last["type"])
	}
	for _, item := range last["response"].(object)["output"].([]any) {
		switch i := item.(object); i["type"] {
		case "message":
			text = i["content"].([]any)[0].(object)["text"].(string)
		case "function_call":
			tool, input = i["name"].(string), i["arguments"].(string)
		case "custom_tool_call":
			tool, input = i["name"].(string), i["input"].(string)
		}
	}
	return text, tool, input
}

func askChat(prompt string, results int, tools ...string) object {
	var offer []object
	for _, name := range tools {
		offer = append(offer, object{"type": "function", "function": object{"name": name}})
	}
	messages := []object{{"role": "system", "content": "You are a program."}, {"role": "user", "content": prompt}}
	for range results {
		messages = append(messages, object{"role": "assistant", "content": nil, "tool_calls": []object{{"id": "x"}}},
			object{"role": "tool", "tool_call_id": "x", "content": "[[scenario:part]]"})
	}
	return object{"model": "m", "stream": true, "tools": offer, "messages": messages}
}

func readChat(t *testing.T, body []byte) (text, tool, input string) {
	for _, e := range events(t, body) {
		delta := e["choices"].([]any)[0].(object)["delta"].(object)
		if words, found := delta["content"].(string); found {
			text += words
		}
		if calls, found := delta["tool_calls"].([]any); found {
			function := calls[0].(object)["function"].(object)
			tool, input = function["name"].(string), function["arguments"].(string)
		}
	}
	return text, tool, input
}

func askGemini(prompt string, results int, tools ...string) object {
	var offer []object
	for _, name := range tools {
		offer = append(offer, object{"name": name})
	}
	contents := []object{{"role": "user", "parts": []object{{"text": prompt}}}}
	for range results {
		contents = append(contents, object{"role": "model", "parts": []object{{"functionCall": object{"name": "x"}}}},
			object{"role": "user", "parts": []object{{"functionResponse": object{"name": "x",
				"response": object{"output": "[[scenario:part]]"}}}}})
	}
	return object{"contents": contents, "tools": []object{{"functionDeclarations": offer}}}
}

func readGemini(t *testing.T, body []byte) (text, tool, input string) {
	for _, e := range events(t, body) {
		content := e["candidates"].([]any)[0].(object)["content"].(object)
		for _, p := range content["parts"].([]any) {
			part := p.(object)
			if words, found := part["text"].(string); found {
				text += words
			}
			if call, found := part["functionCall"].(object); found {
				tool = call["name"].(string)
				args, err := json.Marshal(call["args"])
				if err != nil {
					t.Fatal(err)
				}
				input = string(args)
			}
		}
	}
	return text, tool, input
}
