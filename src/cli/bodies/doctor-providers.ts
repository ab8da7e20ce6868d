// The checks of `reeve doctor` for sign-in with OpenID Connect providers: their file, and whether each describes itself.
import type { Finding } from "../../platform/outcomes/finding.ts";
import { readProviders } from "../../serve/config/config.ts";
import type { Settings } from "../../serve/config/config.ts";
import type { OidcProvider } from "../../identity/providers/oidc-file.ts";

async function examineProvider(provider: OidcProvider): Promise<Finding> {
  // Loaded by those who have providers.
  const { createDiscovery } = await import("../../identity/providers/discovery.ts");
  const { describeFailure } = await import("../../identity/providers/provider-failure.ts");
  const check = `provider ${provider.id}`;
  try {
    await createDiscovery(provider)();
    return { check, status: "ok", detail: `${provider.issuer} responds` };
  } catch (error) {
    const { message, advice = "see that it runs and can be reached from here" } = describeFailure(provider, error);
    return { check, status: "fault", detail: `nobody can sign in with it: ${message}`, advice };
  }
}

export async function examineProviders(settings: Settings): Promise<readonly Finding[]> {
  if (settings.oidcFile === null) return [];
  try {
    return await Promise.all((await readProviders(settings)).map(examineProvider));
  } catch (error) {
    const advice = "mend the file: no server starts with it";
    return [{ check: "providers", status: "fault", detail: (error as Error).message, advice }];
  }
}
