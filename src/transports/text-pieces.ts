/** Decodes a body of UTF-8 piece by piece. */

const WHOLE = new TextDecoder();
const FURTHER = new TextDecoder('utf-8', { ignoreBOM: true });

/** A decoder that streams is slow, and most bodies are one piece that ends with a whole character: those do without. */
export class TextPieces {
  #begun = false;
  #streaming: TextDecoder | undefined;

  decode(piece: Uint8Array): string {
    const begun = this.#begun;
    this.#begun = true;
    // An ASCII byte ends whatever came before it.
    const isWhole = (piece.at(-1) ?? 0) < 0x80;
    if (isWhole && this.#streaming === undefined) return (begun ? FURTHER : WHOLE).decode(piece);
    this.#streaming ??= new TextDecoder('utf-8', { ignoreBOM: begun });
    return this.#streaming.decode(piece, { stream: true });
  }

  /** What an unfinished last character leaves. */
  end(): string {
    return this.#streaming?.decode() ?? '';
  }
}
