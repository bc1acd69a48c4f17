/** The files of models that are used, in their packages. */
export const models = {
  detector: '@ricky0123/vad-web/dist/silero_vad_v6.onnx',
  encoder: '@moonshine-ai/moonshine-js/dist/model/tiny/quantized/encoder_model.onnx',
  decoder: '@moonshine-ai/moonshine-js/dist/model/tiny/quantized/decoder_model_merged.onnx',
} as const

/** SHA-256. npm checks the packages that they come in. */
export const checksums: Record<string, string> = {
  [models.detector]: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
  [models.encoder]: 'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
  [models.decoder]: 'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
}

const platform = `${process.platform}/${process.arch}`
/** The runtime is made for these platforms. */
export const is_supported = ['darwin/arm64', 'linux/arm64', 'linux/x64'].includes(platform)

/** Files and folders of the packages that are kept. */
export const kept = [
  'onnxruntime-node/package.json',
  'onnxruntime-node/README.md',
  'onnxruntime-node/dist',
  `onnxruntime-node/bin/napi-v6/${platform}`,
  'onnxruntime-common/package.json',
  'onnxruntime-common/dist/cjs',
  'llama-tokenizer-js/package.json',
  'llama-tokenizer-js/LICENSE.md',
  'llama-tokenizer-js/llama-tokenizer.js',
  '@moonshine-ai/moonshine-js/package.json',
  '@moonshine-ai/moonshine-js/LICENSE',
  '@ricky0123/vad-web/package.json',
  ...Object.values(models),
]

export const languages = ['English']

/** docs/licenses.md says where each comes from. */
export const licenses = [
  { name: 'Moonshine tiny, English: recognises speech', license: 'MIT' },
  { name: 'Silero VAD 6: hears when someone speaks', license: 'MIT' },
  { name: '@ricky0123/vad-web 0.0.31: the package with Silero VAD', license: 'ISC' },
  { name: 'ONNX Runtime 1.30.0: runs both', license: 'MIT' },
  { name: 'llama-tokenizer-js 1.2.2: turns tokens into words', license: 'MIT' },
  { name: 'Flite 2.3 (a part of the service): speaks', license: 'BSD-style, of Carnegie Mellon University' },
]

/** Bytes that npm downloads, and that it writes to the disk before only `kept` is left. */
export const download_bytes = 142_000_000
export const unpacked_bytes = 341_000_000
/** Bytes that are kept. The runtime is larger on some processors. */
export const folder_bytes = { 'darwin/arm64': 122_000_000, 'linux/arm64': 58_000_000 }[platform] ?? 79_000_000
