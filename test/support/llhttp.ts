import { createRequire } from 'node:module';

/** As much of it as is used here; its types come only with those of browsers. */
declare const WebAssembly: {
  readonly Module: {
    new (bytes: Uint8Array): object;
    imports(module: object): readonly { readonly name: string }[];
  };
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

const require = createRequire(import.meta.url);
const wasm = new WebAssembly.Module(require('undici/lib/llhttp/llhttp_simd-wasm.js'));
/** `constants.TYPE.RESPONSE` of undici. */
const responseType = 2;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  llhttp_alloc(type: number): number;
  malloc(lengthBytes: number): number;
  free(pointer: number): void;
  llhttp_execute(parser: number, data: number, lengthBytes: number): number;
}

/** What the parser told of some bytes. */
export interface Parsed {
  readonly isRight: boolean;
  readonly dataBytes: number;
  /** Names and values of fields, or pieces of them. */
  readonly fields: number;
}

/** The callbacks by which undici's parser tells what it finds. */
export function parserImports(): string[] {
  return WebAssembly.Module.imports(wasm)
    .map(({ name }) => name)
    .sort();
}

/** The parser of responses inside undici, alone. */
export class Llhttp {
  readonly #exports: Exports;
  readonly #parser: number;
  #dataBytes = 0;
  #fields = 0;

  constructor() {
    const callbacks = Object.fromEntries(parserImports().map(name => [name, () => 0]));
    const field = () => {
      this.#fields++;
      return 0;
    };
    const env = {
      ...callbacks,
      wasm_on_body: (_parser: number, _at: number, lengthBytes: number) => {
        this.#dataBytes += lengthBytes;
        return 0;
      },
      wasm_on_header_field: field,
      wasm_on_header_value: field,
    };
    this.#exports = new WebAssembly.Instance(wasm, { env }).exports as Exports;
    this.#parser = this.#exports.llhttp_alloc(responseType);
  }

  /** Goes on with `bytes`. */
  execute(bytes: Uint8Array): Parsed {
    this.#dataBytes = 0;
    this.#fields = 0;
    const { memory, malloc, free, llhttp_execute } = this.#exports;
    const data = malloc(bytes.length + 1);
    new Uint8Array(memory.buffer, data, bytes.length).set(bytes);
    const code = llhttp_execute(this.#parser, data, bytes.length);
    free(data);
    return { isRight: code === 0, dataBytes: this.#dataBytes, fields: this.#fields };
  }
}
