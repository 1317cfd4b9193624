export const earlierFigures: Readonly<Record<string, Readonly<Record<string, readonly number[]>>>> = {};
