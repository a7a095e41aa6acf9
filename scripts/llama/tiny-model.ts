import { gguf, type Tensor } from './gguf.ts'

const width = 128
const layers = 2
const heads = 4
const hidden = 256
const contextLength = 8192

const byteToken = 6
const controlToken = 3
const unknownToken = 2
const normalToken = 1.3

/**
 * A llama model with random weights. Its output makes no sense, but it prefers the capital letters up to T. Which of them, and how
 * strongly, depends on the whole prompt.
 */
export function tinyModel(): Buffer {
  const tokens = vocabulary()
  const random = generator(20_240_501)
  const tensors = weights(tokens, random)
  return gguf(
    {
      'general.architecture': { type: 'string', value: 'llama' },
      'general.name': { type: 'string', value: 'tiny' },
      'llama.context_length': { type: 'uint32', value: contextLength },
      'llama.embedding_length': { type: 'uint32', value: width },
      'llama.block_count': { type: 'uint32', value: layers },
      'llama.feed_forward_length': { type: 'uint32', value: hidden },
      'llama.attention.head_count': { type: 'uint32', value: heads },
      'llama.attention.head_count_kv': { type: 'uint32', value: heads },
      'llama.attention.layer_norm_rms_epsilon': { type: 'float32', value: 1e-5 },
      'llama.rope.dimension_count': { type: 'uint32', value: width / heads },
      'llama.vocab_size': { type: 'uint32', value: tokens.length },
      'tokenizer.ggml.model': { type: 'string', value: 'llama' },
      'tokenizer.ggml.tokens': { type: 'strings', value: tokens },
      // Longer pieces are preferred.
      'tokenizer.ggml.scores': { type: 'float32s', value: tokens.map(token => token.length - 10) },
      'tokenizer.ggml.token_type': { type: 'int32s', value: tokens.map(kindOf) },
      'tokenizer.ggml.unknown_token_id': { type: 'uint32', value: 0 },
      'tokenizer.ggml.bos_token_id': { type: 'uint32', value: 1 },
      'tokenizer.ggml.eos_token_id': { type: 'uint32', value: 2 },
    },
    tensors,
  )
}

function vocabulary(): readonly string[] {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
  const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index))
  const letters = printable.filter(character => /[a-zA-Z]/.test(character))
  return ['<unk>', '<s>', '</s>', ...bytes, '▁', ...printable, ...letters.map(letter => `▁${letter}`)]
}

function kindOf(token: string, index: number): number {
  if (index === 0) return unknownToken
  if (index < 3) return controlToken
  return /^<0x..>$/.test(token) ? byteToken : normalToken
}

type Random = () => number

function weights(tokens: readonly string[], random: Random): readonly Tensor[] {
  const matrix = (name: string, columns: number, rows: number, spread: number): Tensor => ({
    name: `${name}.weight`,
    shape: [columns, rows],
    data: Float32Array.from({ length: columns * rows }, () => random() * spread),
  })
  const ones = (name: string): Tensor => ({ name: `${name}.weight`, shape: [width], data: new Float32Array(width).fill(1) })
  const embedding = matrix('token_embd', width, tokens.length, 1)
  const output = matrix('output', width, tokens.length, 0.1)
  // The first number is large for every token and survives all layers, so tokens that weight it are always likely.
  for (const [index, token] of tokens.entries()) {
    embedding.data[index * width] = 8
    if (/^[A-T]$/.test(token)) output.data[index * width] = 1.3
  }
  const blocks = Array.from({ length: layers }, (_, layer) => {
    const block = `blk.${layer}`
    return [
      ones(`${block}.attn_norm`),
      ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map(name => matrix(`${block}.${name}`, width, width, 0.05)),
      ones(`${block}.ffn_norm`),
      matrix(`${block}.ffn_gate`, width, hidden, 0.05),
      matrix(`${block}.ffn_up`, width, hidden, 0.05),
      matrix(`${block}.ffn_down`, hidden, width, 0.05),
    ]
  })
  return [embedding, ...blocks.flat(), ones('output_norm'), output]
}

/** Close to a normal distribution, and the same in every run: the sum of three numbers from a 32-bit xorshift. */
function generator(seed: number): Random {
  let state = seed
  const uniform = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 31 - 1
  }
  return () => uniform() + uniform() + uniform()
}
