const {createHash}=require('crypto');
const app='11111111-1111-4111-8111-111111111111', epoch='0f8fad5b-d9cb-469f-a165-70867728950e';
const texts=['shop-1','a"b','back\\slash','tab\tnewline\nreturn\r','\b\f\u0001\u001f\u007f\u0080','/slash/','naïve – “quoted”','\u2028\u2029','😀 \u{1F469}\u200d\u{1F680}','\u{10FFFF}','</script>','\ufeffbom','null','12','é','e\u0301','x'.repeat(200)];
const out=[];
function add(tenant,name,key,revision,theme,generation){
  const array=[app,tenant,epoch,name,key===null?revision:key,theme,generation];
  const json=JSON.stringify(array);
  out.push({tenant,name,occurrenceKey:key,configurationRevision:revision,publishedThemeId:theme,enableGeneration:generation,jsonBase64:Buffer.from(json,'utf8').toString('base64'),id:createHash('sha256').update(json,'utf8').digest('hex')});
}
for(const t of texts){ add(t,'tenant.settings.saved.v1',null,7,'theme-1',0); add('shop-1','tenant.settings.saved.v1',null,7,t,3); add('shop-1','tenant.settings.saved.v1',t,7,null,3);}
for(const n of [0,1,9007199254740991]) { add('shop-1','a.b.c.v1',null,n,null,0); add('shop-1','a.b.c.v1',null,0,null,n); }
add('shop-1','a.b.c.v2',null,0,null,0);
console.log(JSON.stringify({comment:'Made by Node: JSON.stringify and SHA-256 over its UTF-8',appId:app,epoch,vectors:out},null,1));
