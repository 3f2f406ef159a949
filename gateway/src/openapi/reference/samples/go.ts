import type { ExampleCall } from './example-call.ts';

/** Returns a Go program that uses only the standard library. */
export function go({ method, url, hasCredential, body }: ExampleCall): string {
  const imports = [
    'fmt',
    'io',
    'net/http',
    ...(hasCredential ? ['os'] : []),
    ...(body === undefined ? [] : ['strings']),
  ];
  const headers = [
    ...(hasCredential ? [`\trequest.Header.Set("authorization", "Bearer "+os.Getenv("TOCSIN_API_KEY"))`] : []),
    ...(body === undefined ? [] : [`\trequest.Header.Set("content-type", "application/json")`]),
  ];
  return `package main

import (
${imports.map((name) => `\t"${name}"`).join('\n')}
)

func main() {
${body === undefined ? '' : `\tbody := strings.NewReader(${literal(JSON.stringify(body, null, 2))})\n`}\trequest, err := http.NewRequest("${method}", ${JSON.stringify(url)}, ${body === undefined ? 'nil' : 'body'})
	if err != nil {
		panic(err)
	}
${headers.map((line) => `${line}\n`).join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		panic(err)
	}
	fmt.Println(response.StatusCode, string(content))
}`;
}

/** Returns a text as Go code. A raw string can't contain a backtick. JSON escapes are also valid in Go strings. */
function literal(text: string): string {
  return text.includes('`') ? JSON.stringify(text) : `\`${text}\``;
}
