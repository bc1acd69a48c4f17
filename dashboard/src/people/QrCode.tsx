import { encodeQR } from 'qr'
import { useMemo } from 'react'

/** The width of the empty border that readers need, in modules. */
const border = 4

/** Shows a code in black on white in both color schemes, because not all readers see the inverse. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const rows = useMemo(() => encodeQR(text, 'raw', { ecc: 'medium', border }), [text])
  const dark = rows.flatMap((row, y) => row.flatMap((is_dark, x) => (is_dark ? `M${x} ${y}h1v1h-1z` : [])))
  const size = rows.length
  return (
    <svg
      role="img"
      aria-label={label}
      width={208}
      height={208}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  )
}
