// How long work reports how far it is.

export type ShowProgress = (done: number, total: number) => void;
