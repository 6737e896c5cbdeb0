/** An error's code and its sentence, once each: Node's own sentences begin with the code. */
export function sayCode(code: string, message: string): string {
  if (message === '') return code;
  return message.includes(code) ? message : `${code}: ${message}`;
}
