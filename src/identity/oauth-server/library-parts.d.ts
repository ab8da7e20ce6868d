// Parts of the library that are loaded for their effect alone.
declare module "oidc-provider/lib/*";
