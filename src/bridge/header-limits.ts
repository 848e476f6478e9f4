/** The maximum length of header values, in bytes (contract events §2). */
const BYTES_MAX: Readonly<Record<string, number>> = {
  'ce-id': 256,
  'ce-source': 2048,
  'ce-resourcetype': 128,
  'ce-eventtype': 128,
  'ce-schemaversion': 64,
  'ce-subject': 1024,
  'ce-tenantid': 256,
  'ce-datacontenttype': 256,
};

/** Returns why headers must not be sent; undefined if they are valid. */
export function headerFault(headers: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(headers)) {
    if (CONTROL.test(value)) return `${name} has a control character`;
    const max = BYTES_MAX[name];
    if (max !== undefined && value.length * 3 > max && Buffer.byteLength(value) > max) {
      return `${name} exceeds ${max} bytes`;
    }
  }
  return undefined;
}

const CONTROL = /\p{Cc}/u;
