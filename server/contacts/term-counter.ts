const unit_bits = 16

interface TermCount {
  total: number
  /** The number of the last text that had the term, so that each text counts once. */
  last_text: number
}

export interface TermCounter {
  /** Adds the sign to the total of each term that the text contains. */
  count: (text: string, sign: 1 | -1) => void
  totals: () => Map<string, number>
}

/**
 * Counts the texts that contain each term of one or two UTF-16 code units. Terms are numbers until the end, because making
 * a string for each pair of each text is slow.
 */
export function newTermCounter(): TermCounter {
  const counts = new Map<number, TermCount>()
  let texts = 0
  const countTerm = (code: number, sign: 1 | -1) => {
    const term = counts.get(code)
    if (!term) counts.set(code, { total: sign, last_text: texts })
    else if (term.last_text !== texts) {
      term.total += sign
      term.last_text = texts
    }
  }
  return {
    count(text, sign) {
      texts += 1
      for (let index = 0; index < text.length; index += 1) {
        const unit = text.charCodeAt(index)
        countTerm(unit, sign)
        if (index > 0) countTerm(text.charCodeAt(index - 1) * 2 ** unit_bits + unit, sign)
      }
    },
    totals() {
      const totals = Array.from(counts, ([code, { total }]): [string, number] => [toTerm(code), total])
      return new Map(totals.filter(([term, total]) => total !== 0 && isSearchable(term)))
    },
  }
}

/** Converts a code to text. A code below 2^16 is one unit, any other a pair: texts don't contain the unit 0. */
function toTerm(code: number): string {
  const first = Math.floor(code / 2 ** unit_bits)
  const second = String.fromCharCode(code % 2 ** unit_bits)
  return first === 0 ? second : String.fromCharCode(first) + second
}

/** Whether a search can have the term: it has no line breaks and no half of a surrogate pair. */
const isSearchable = (term: string): boolean => term.isWellFormed() && !term.includes('\n')
