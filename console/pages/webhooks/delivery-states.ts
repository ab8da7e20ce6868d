// What the states of a delivery are called.
export const DELIVERY_STATES = { pending: "waits", delivered: "delivered", failed: "given up", skipped: "skipped" };
