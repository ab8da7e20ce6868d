import { Option } from "commander";

/** A flag whose empty text means none, which is stored. Of any other flag an empty text is a mistake, as of a variable that is not set. */
export class NoneOption extends Option {}
