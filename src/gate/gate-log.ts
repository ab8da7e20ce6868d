// Where the gate writes what its operator has to know. pino's loggers fit.

export interface GateLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}
