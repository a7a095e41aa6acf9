/** Names of models that do not answer in text but in images, audio, embeddings, rankings or moderation results. */
const other =
  /(^|[/\-_:.])(embed(ding|dings|code|qa)?|e5|bge|gte|rerank(er)?|whisper|transcri(be|ption)|tts|stt|asr|speech|voice|realtime|live|image|images|imagine|imagen|dall-e|flux|diffusion|sdxl|stable|midjourney|recraft|ideogram|kling|klingai|seedream|seedance|veo|sora|wan\d?|wan-?\d.*|video|music|lyria|audio-(preview|mini)|moderation|guard|prompt-guard|safeguard|safety|content-safety|nemoguard|reward|parse|ocr|clef|nova-canvas|nova-reel|nova-sonic|orpheus|aura|eleven.*|melotts|parakeet|canary|detr|resnet|m2m100|sam-\d.*|translate|clip|nsfw|upscale.*|avatar|omnihuman|triposr|act_two|gen3a.*|gen4.*|hailuo|vidu.*|pixverse|ltx.*|runway.*|luma.*|suno|minimax-music|speech-\d.*)($|[/\-_:.])/i

const starts = /^(text-embedding|distilbert|bart-|uform|aura|veo|sora|imagen|nano-banana|hume-|deepgram|voyage|rerank|embed)/i

export function answersInText(wire: string): boolean {
  return !other.test(wire) && !starts.test(wire.slice(wire.lastIndexOf('/') + 1))
}
