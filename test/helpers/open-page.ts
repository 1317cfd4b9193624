import { get } from 'node:http';

/** A live page that listens to its server, as a browser does. */
export interface OpenPage {
  status: number | undefined;
  /** The events so far: kind and text. */
  received: () => [kind: string, text: string][];
  leave: () => void;
}

export function openPage(address: string): Promise<OpenPage> {
  return new Promise((resolve, reject) => {
    const asked = get(`${address}/events`, (response) => {
      let stream = '';
      response.setEncoding('utf8').on('data', (part: string) => (stream += part));
      // Its server may end it in the middle.
      response.on('error', () => undefined);
      resolve({
        status: response.statusCode,
        received: () => eventsIn(stream),
        leave: () => asked.destroy(),
      });
    });
    asked.on('error', reject);
  });
}

function eventsIn(stream: string): [kind: string, text: string][] {
  return stream
    .split('\n\n')
    .slice(0, -1)
    .map((event) => {
      const lines = event.split('\n').map((line) => line.split(/: (.*)/s));
      const all = (field: string): string[] => lines.flatMap(([name, value = '']) => (name === field ? [value] : []));
      return [all('event').join(''), all('data').join('\n')];
    });
}
