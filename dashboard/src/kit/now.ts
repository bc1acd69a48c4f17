import { createContext, useContext } from 'react'

/** Tells the time by which the page goes. In a test workspace it is the time of its clock. */
export const NowContext = createContext<() => number>(Date.now)

export const useNow = (): number => useContext(NowContext)()
