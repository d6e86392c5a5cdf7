/** The arguments of a tool as the AI SDK's `Schema`. */

import { jsonSchema } from 'ai';
import type { JsonSchema, ToolDefinition } from '../types.ts';
import { type Validation, validateFor } from './arguments/read.ts';

/** The AI SDK's own, by whose marks it knows one. */
const SCHEMA: ReturnType<typeof jsonSchema> = jsonSchema({});

/** What `jsonSchema()` of the AI SDK would make, in a fifth of the room: there may be thousands, and most are never asked to validate. */
class InputSchema {
  readonly #definition: ToolDefinition;
  readonly #schema: JsonSchema;

  constructor(definition: ToolDefinition, schema: JsonSchema) {
    this.#definition = definition;
    this.#schema = schema;
  }

  get jsonSchema(): JsonSchema {
    return this.#schema;
  }

  get validate(): (value: unknown) => Validation {
    return validateFor(this.#definition);
  }

  /** Looks in print as that of the AI SDK does. */
  toJSON(): object {
    return { jsonSchema: this.#schema };
  }
}
Object.setPrototypeOf(InputSchema.prototype, SCHEMA);

/** `schema`: the arguments as the model is told of them; the model's are checked against the definition's own. */
export function toAiSchema(definition: ToolDefinition, schema: JsonSchema): ReturnType<typeof jsonSchema> {
  return new InputSchema(definition, schema) as unknown as ReturnType<typeof jsonSchema>;
}
